//! The tables that the service stands on: put in place, or found to be.

use anyhow::{Context, ensure};
use fence_guard::{InstallError, Schema, install, migrations};
use sqlx::PgPool;

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
/// # Errors
/// [`InstallError`].
pub(crate) async fn put_in_place(pool: &PgPool) -> Result<(), InstallError> {
    install(pool, &SCHEMAS).await
}

/// Looks whether what is in place is at least of this version.
///
/// # Errors
/// What is missing, and who can mend it.
pub(crate) async fn look(pool: &PgPool) -> anyhow::Result<()> {
    let installed: Vec<(String, i32)> = sqlx::query_as(include_str!("../sql/installed.sql"))
        .fetch_all(pool)
        .await
        .context(
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
