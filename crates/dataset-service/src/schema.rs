//! The tables that the service stands on: put in place, or found to be.

use anyhow::{Context, ensure};
use fence_guard::{Schema, Store, install, migrations};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

/// The service's own table, under the guard.
const SCHEMA: Schema = Schema {
    name: "dataset",
    migrator: || migrations(&[(1, "query", include_str!("../migrations/0001_query.sql"))]),
    functions_version: 1,
    functions: &[
        include_str!("../sql/functions/installed.sql"),
        include_str!("../sql/functions/grant_to.sql"),
    ],
};

/// All of them, each after those that it needs.
const SCHEMAS: [Schema; 3] = [fence_guard::SCHEMA, credit_ledger::SCHEMA, SCHEMA];

/// Puts the tables and functions in place. Several may do so at once, and again at every start; what a newer version has
/// put in place stays as it is, so that a rollback finds a database that it can start on.
///
/// It takes a connection of its own, on which Postgres does not say of each schema and table that is there already that
/// it is: seven notices at each start of each instance.
///
/// # Errors
/// What keeps it from that; `DATABASE_URL` is named where no connection is to be had.
pub(crate) async fn put_in_place(url: &str) -> anyhow::Result<()> {
    let connected = async {
        let options: PgConnectOptions = url.parse()?;
        let options = options.options([("client_min_messages", "warning")]);
        PgPoolOptions::new()
            .max_connections(1)
            .connect_with(options)
            .await
    };
    let pool: PgPool = connected.await.context("Postgres (DATABASE_URL)")?;
    install(&pool, &SCHEMAS).await?;
    pool.close().await;
    Ok(())
}

/// Looks whether what is in place is at least of this version.
///
/// # Errors
/// What is missing, and who can mend it.
pub(crate) async fn look(store: &Store) -> anyhow::Result<()> {
    let installed = sqlx::query_as(include_str!("../sql/installed.sql"));
    let installed: Vec<(String, i32)> = store.read(installed).await.context(
        "the tables are not in place, or not granted: run dataset-service migrate as their owner, \
         then select dataset.grant_to of this role",
    )?;
    for Schema {
        name,
        functions_version,
        ..
    } in &SCHEMAS
    {
        let found = installed.iter().find(|(installed, _)| installed == name);
        let found = found.map_or(0, |(_, version)| *version);
        ensure!(
            found >= *functions_version,
            "schema {name} is at version {found}, and this program needs {functions_version}: run dataset-service migrate as its owner"
        );
    }
    Ok(())
}
