//! Puts a schema in place: its migrations, and its functions as one set.

use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::QueryScalar;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, SqlStr};
use uuid::Uuid;

mod functions;
mod turn;

/// How long [`install`] waits for other installs.
const FOR_OTHERS: Duration = Duration::from_secs(60);

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
    /// The functions, one text each, in an order in which they can be created. Each text makes one function,
    /// `create or replace function <schema>.<name>(…`, and no two bear one name. The set is complete: a
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
    /// Another install has not ended in time: an instance that hangs in the middle of its own, or a migration that
    /// takes longer.
    #[error(
        "the schema was not installed: another install goes on in {}; let it end, or end it by \
         pg_terminate_backend(pid), and install again",
        turn::sessions(holders)
    )]
    Blocked {
        /// The process numbers of its backends; none where it has ended just now.
        holders: Vec<i32>,
    },
    /// What was installed before is not what this version expects.
    #[error("the schema was not installed: {0}")]
    Migration(#[from] MigrateError),
    /// A function leaves the set, or changes its parameters or its result, and something that is not ours
    /// rests on it: a view of the service, say. Nothing of a service is dropped along.
    #[error(
        "the schema was not installed: function {function} is replaced by another, and is in use: {by}; \
         drop that, install, and make it anew"
    )]
    InUse {
        /// The function, without its schema.
        function: String,
        /// What rests on it, in the words of Postgres.
        by: String,
    },
    /// A text in [`Schema::functions`] does not say which function of the schema it makes.
    #[error("the schema was not installed: no function of schema {schema} is made by: {text}")]
    NoFunction {
        /// The schema.
        schema: &'static str,
        /// Its first line.
        text: &'static str,
    },
}

/// Installs schemas, each after those that it needs: everything in one transaction, or nothing.
///
/// May be called by many instances at once, and again at every start: they wait for each other, a minute at most
/// ([`install_within`] takes another bound), and a schema that is in place stays as it is. An instance of an older
/// version leaves newer functions alone.
///
/// An upgrade may run under writers: a function that keeps its parameters and its result is replaced in place, so
/// that statements which are prepared, or run just now, and a service's own views go on. One that changes them is
/// another function to Postgres, and a statement that was prepared for it fails once. What a role was granted on an
/// outer function (what `fence.grant_to` and `fence.grant_operator` give) stays with its name. EXECUTE on an inner one, or
/// for PUBLIC on any, is a way around the guard, and is taken away when the functions are replaced; so is what
/// default privileges give to other roles on a new table or function.
///
/// The lock is `pg_advisory_xact_lock`, which ends with the transaction; sqlx's own is a session lock. The
/// pool's connections must still reach Postgres directly, or through a pooler in session mode: sqlx's
/// migrations prepare statements.
///
/// # Errors
/// [`InstallError`] if the connected role may not create schemas, if a migration that was applied before has
/// another text than ours, if something of the service rests on a function that changes, or if another install does
/// not end.
pub async fn install(pool: &PgPool, schemas: &[Schema]) -> Result<(), InstallError> {
    install_within(pool, schemas, FOR_OTHERS).await
}

/// [`install`], with another bound on how long it waits for other installs: longer, where a migration takes more than
/// a minute and its fellows are to wait for it. A shorter `lock_timeout` of the connection stays.
///
/// # Errors
/// As [`install`].
pub async fn install_within(
    pool: &PgPool,
    schemas: &[Schema],
    for_others: Duration,
) -> Result<(), InstallError> {
    let mut tx = pool
        .begin_with("begin isolation level read committed")
        .await?;
    if !turn::wait(&mut tx, for_others).await? {
        tx.rollback().await?;
        return Err(turn::blocked(pool).await);
    }
    // By name: bootstrap makes a schema and a table.
    let names: Vec<&str> = schemas.iter().map(|schema| schema.name).collect();
    let tables_before: Vec<String> =
        sqlx::query_scalar(include_str!("../../../sql/guard/install/tables.sql"))
            .bind(&names)
            .fetch_all(&mut *tx)
            .await?;
    sqlx::raw_sql(include_str!("../../../sql/guard/install/bootstrap.sql"))
        .execute(&mut *tx)
        .await?;
    for schema in schemas {
        migrate(&mut tx, schema).await?;
        let strip = include_str!("../../../sql/guard/install/strip_tables.sql");
        let strip = sqlx::query_scalar(strip)
            .bind(schema.name)
            .bind(&tables_before);
        execute_each(&mut tx, strip).await?;
        functions::replace(&mut tx, schema).await?;
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

/// Executes the statements that a query answers; Postgres itself has quoted the names in them.
async fn execute_each(
    conn: &mut PgConnection,
    query: QueryScalar<'_, Postgres, String, PgArguments>,
) -> Result<(), sqlx::Error> {
    for statement in query.fetch_all(&mut *conn).await? {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}
