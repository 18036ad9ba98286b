//! Puts a schema in place: its migrations, and its functions as one set.

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::QueryScalar;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, SqlStr};
use uuid::Uuid;

/// A schema of this workspace: what [`install`] needs to know of it.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// Its name in Postgres.
    pub name: &'static str,
    /// Its tables, as migrations that are recorded in a table of the schema itself. A host service's
    /// own migrations keep their own table.
    pub migrator: fn() -> Migrator,
    /// The version of the set of functions; raise it with every change of one.
    pub functions_version: i32,
    /// The functions, one text each, in an order in which they can be created. The set is complete: a
    /// function of the schema that is not in it, and is no trigger function, is dropped.
    pub functions: &'static [&'static str],
}

impl Schema {
    /// What tells one set of functions from another of the same version.
    pub fn functions_digest(&self) -> String {
        let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, self.functions.concat().as_bytes());
        digest.to_string()
    }
}

/// Migrations that are embedded as texts: (version, description, text), oldest first.
///
/// Texts that a build embeds are seen by cargo when they change; the files that `sqlx::migrate!` reads
/// from a folder are not, when one is added.
pub fn migrations(texts: &[(i64, &'static str, &'static str)]) -> Migrator {
    let migrations = texts.iter().map(|&(version, description, text)| {
        let kind = MigrationType::Simple;
        Migration::new(
            version,
            description.into(),
            kind,
            SqlStr::from_static(text),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

/// Why a schema could not be put in place. Nothing of it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Postgres did not answer, or said no.
    #[error("the schema was not installed: {0}")]
    Database(#[from] sqlx::Error),
    /// What was installed before is not what this version expects.
    #[error("the schema was not installed: {0}")]
    Migration(#[from] MigrateError),
}

/// Installs schemas, each after those that it needs: everything in one transaction, or nothing.
///
/// May be called by many instances at once, and again at every start: they wait for each other, and a
/// schema that is in place stays as it is. An instance of an older version leaves newer functions alone.
///
/// The lock is `pg_advisory_xact_lock`, which ends with the transaction; sqlx's own is a session lock. The
/// pool's connections must still reach Postgres directly, or through a pooler in session mode: sqlx's
/// migrations prepare statements. When a schema is new, what default privileges gave to other roles on it
/// is taken away; [`Schema::functions`] are replaced as a whole, and grants on them stay with their names.
///
/// # Errors
/// [`InstallError`] if the connected role may not create schemas, or if a migration that was applied
/// before has another text than ours.
pub async fn install(pool: &PgPool, schemas: &[Schema]) -> Result<(), InstallError> {
    let mut tx = pool
        .begin_with("begin isolation level read committed")
        .await?;
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('fence.install', 0))")
        .execute(&mut *tx)
        .await?;
    sqlx::raw_sql(include_str!("../../../sql/guard/install/bootstrap.sql"))
        .execute(&mut *tx)
        .await?;
    for schema in schemas {
        migrate(&mut tx, schema).await?;
        replace_functions(&mut tx, schema).await?;
    }
    tx.commit().await?;
    Ok(())
}

async fn migrate(conn: &mut PgConnection, schema: &Schema) -> Result<(), InstallError> {
    let mut migrator = (schema.migrator)();
    migrator.create_schema(schema.name);
    migrator.dangerous_set_table_name(format!("{}.migration", schema.name));
    // Our own lock is held; and an older instance meets migrations that it does not know.
    migrator.set_locking(false).set_ignore_missing(true);
    // `run` is generic over how a connection is acquired, which makes every future that it is part of
    // one that `tokio::spawn` does not take; a service installs from wherever it starts.
    Ok(migrator.run_direct(None, conn, false).await?)
}

async fn replace_functions(conn: &mut PgConnection, schema: &Schema) -> Result<(), InstallError> {
    let claimed: Option<(bool,)> =
        sqlx::query_as(include_str!("../../../sql/guard/install/claim.sql"))
            .bind(schema.name)
            .bind(schema.functions_version)
            .bind(schema.functions_digest())
            .fetch_optional(&mut *conn)
            .await?;
    if claimed.is_none() {
        return Ok(());
    }
    let granted: Vec<(String, String)> =
        sqlx::query_as(include_str!("../../../sql/guard/install/granted.sql"))
            .bind(schema.name)
            .fetch_all(&mut *conn)
            .await?;
    let is_new = claimed.is_some_and(|(was_there,)| !was_there);
    let replaced = include_str!("../../../sql/guard/install/replaced.sql");
    execute_each(conn, sqlx::query_scalar(replaced).bind(schema.name)).await?;
    for function in schema.functions {
        sqlx::raw_sql(*function).execute(&mut *conn).await?;
    }
    let revoke = format!(
        "revoke all on all functions in schema {} from public",
        schema.name
    );
    sqlx::raw_sql(AssertSqlSafe(revoke))
        .execute(&mut *conn)
        .await?;
    if is_new {
        let strip = include_str!("../../../sql/guard/install/strip.sql");
        execute_each(conn, sqlx::query_scalar(strip).bind(schema.name)).await?;
    }
    for (role, function) in &granted {
        let again = include_str!("../../../sql/guard/install/grant_again.sql");
        let again = sqlx::query_scalar(again)
            .bind(schema.name)
            .bind(function)
            .bind(role);
        execute_each(conn, again).await?;
    }
    tracing::info!(
        schema.name = schema.name,
        schema.functions_version = schema.functions_version,
        "functions installed"
    );
    Ok(())
}

/// Executes the statements that a query answers; Postgres itself has quoted the names in them.
async fn execute_each(
    conn: &mut PgConnection,
    query: QueryScalar<'_, Postgres, String, PgArguments>,
) -> Result<(), InstallError> {
    for statement in query.fetch_all(&mut *conn).await? {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}
