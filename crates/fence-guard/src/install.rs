//! Puts a schema in place: its migrations, and its functions as one set.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{PgConnection, PgPool};
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
    /// The functions, one text each, in an order in which they can be created.
    pub functions: &'static [&'static str],
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
/// The lock is `pg_advisory_xact_lock`: sqlx's own is a session lock, which a transaction pooler loses.
///
/// # Errors
/// [`InstallError`] if the connected role may not create schemas, or if a migration that was applied
/// before has another text than ours.
pub async fn install(pool: &PgPool, schemas: &[Schema]) -> Result<(), InstallError> {
    let mut tx = pool.begin().await?;
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('fence.install', 0))")
        .execute(&mut *tx)
        .await?;
    sqlx::raw_sql(include_str!("../../../sql/guard/bootstrap.sql"))
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
    Ok(migrator.run(conn).await?)
}

async fn replace_functions(conn: &mut PgConnection, schema: &Schema) -> Result<(), InstallError> {
    let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, schema.functions.concat().as_bytes());
    let is_newer: Option<(i32,)> = sqlx::query_as(
        "insert into fence.installed as i (schema_name, functions_version, functions_digest)
         values ($1, $2, $3)
         on conflict on constraint installed_key do update
             set functions_version = excluded.functions_version,
                 functions_digest = excluded.functions_digest
             where i.functions_version < excluded.functions_version
                or i.functions_version = excluded.functions_version
                   and i.functions_digest <> excluded.functions_digest
         returning functions_version",
    )
    .bind(schema.name)
    .bind(schema.functions_version)
    .bind(digest.to_string())
    .fetch_optional(&mut *conn)
    .await?;
    if is_newer.is_none() {
        return Ok(());
    }
    for function in schema.functions {
        sqlx::raw_sql(*function).execute(&mut *conn).await?;
    }
    let revoke = format!(
        "revoke all on all functions in schema {} from public",
        schema.name
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(revoke))
        .execute(&mut *conn)
        .await?;
    tracing::info!(
        schema.name = schema.name,
        schema.functions_version = schema.functions_version,
        "functions installed"
    );
    Ok(())
}
