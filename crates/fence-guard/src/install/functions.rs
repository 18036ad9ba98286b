//! Replaces the functions of a schema by its set, in place wherever Postgres does it.
//!
//! In place matters twice. A statement that a writer has prepared names the function by its number: dropped and made
//! anew it would fail in the middle of its work ("cache lookup failed for function"). And what a service builds on a
//! function, a view say, would forbid the drop.
//!
//! Grants go by the name of a function, and only those that have somebody to be for: an outer function and a role.
//! EXECUTE on an inner function, or for everybody, is a way around the guard (`fence.bypass` names it), and ends here.

use sqlx::{Connection, PgConnection};

use super::{InstallError, Schema, execute_each};

/// Brings the schema's functions to this set, unless this very one or a newer one is in place.
pub(super) async fn replace(conn: &mut PgConnection, schema: &Schema) -> Result<(), InstallError> {
    let is_claimed: Option<bool> =
        sqlx::query_scalar(include_str!("../../../../sql/guard/install/claim.sql"))
            .bind(schema.name)
            .bind(schema.functions_version)
            .bind(schema.functions_digest())
            .fetch_optional(&mut *conn)
            .await?;
    if is_claimed.is_none() {
        return Ok(());
    }
    let granted: Vec<(String, String, bool)> =
        sqlx::query_as(include_str!("../../../../sql/guard/install/granted.sql"))
            .bind(schema.name)
            .fetch_all(&mut *conn)
            .await?;
    make_all(conn, schema).await?;

    let strip = include_str!("../../../../sql/guard/install/strip_functions.sql");
    execute_each(conn, sqlx::query_scalar(strip).bind(schema.name)).await?;
    for (role, function, may_grant) in &granted {
        let again = include_str!("../../../../sql/guard/install/grant_again.sql");
        let again = sqlx::query_scalar(again)
            .bind(schema.name)
            .bind(function)
            .bind(role)
            .bind(may_grant);
        execute_each(conn, again).await?;
    }
    tracing::info!(
        schema.name = schema.name,
        schema.functions_version = schema.functions_version,
        "functions installed"
    );
    Ok(())
}

/// Makes each function of the set, and drops whatever else the schema has.
async fn make_all(conn: &mut PgConnection, schema: &Schema) -> Result<(), InstallError> {
    let before: Vec<(i64, String)> =
        sqlx::query_as(include_str!("../../../../sql/guard/install/functions.sql"))
            .bind(schema.name)
            .fetch_all(&mut *conn)
            .await?;
    let mut left = before.clone();
    for &text in schema.functions {
        let name = name_of(text, schema)?;
        left.retain(|(_, other)| other != name);
        if !make(conn, text).await? {
            // Postgres replaces neither a result nor a parameter's name in place.
            for (number, _) in before.iter().filter(|(_, other)| other == name) {
                drop_function(conn, *number, name).await?;
            }
            sqlx::raw_sql(text).execute(&mut *conn).await?;
            continue;
        }
        // With other types of parameters it has not replaced what bears its name. That goes at once: a call in
        // the next text would not know which is meant.
        for (number, _) in before.iter().filter(|(_, other)| other == name) {
            if has_a_namesake(conn, *number).await? {
                drop_function(conn, *number, name).await?;
            }
        }
    }
    for (number, name) in &left {
        drop_function(conn, *number, name).await?;
    }
    Ok(())
}

/// Makes a function, in place where there is one; false, and nothing has changed, where Postgres cannot do that.
async fn make(conn: &mut PgConnection, text: &'static str) -> Result<bool, sqlx::Error> {
    const INVALID_FUNCTION_DEFINITION: &str = "42P13";
    let mut savepoint = conn.begin().await?;
    match sqlx::raw_sql(text).execute(&mut *savepoint).await {
        Ok(_) => savepoint.commit().await.map(|()| true),
        Err(error) if is(&error, INVALID_FUNCTION_DEFINITION) => {
            savepoint.rollback().await.map(|()| false)
        }
        Err(error) => Err(error),
    }
}

/// Drops a function that leaves, unless something of somebody else rests on it.
async fn drop_function(
    conn: &mut PgConnection,
    number: i64,
    name: &str,
) -> Result<(), InstallError> {
    const DEPENDENT_OBJECTS_STILL_EXIST: &str = "2BP01";
    let drop = sqlx::query_scalar(include_str!("../../../../sql/guard/install/drop.sql"));
    execute_each(conn, drop.bind(number))
        .await
        .map_err(|error| {
            if !is(&error, DEPENDENT_OBJECTS_STILL_EXIST) {
                return error.into();
            }
            InstallError::InUse {
                function: name.to_owned(),
                by: details(&error),
            }
        })
}

async fn has_a_namesake(conn: &mut PgConnection, number: i64) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(include_str!(
        "../../../../sql/guard/install/has_a_namesake.sql"
    ))
    .bind(number)
    .fetch_one(conn)
    .await
}

/// The function that a text makes, by the first `function <schema>.<name>(` in it.
fn name_of(text: &'static str, schema: &Schema) -> Result<&'static str, InstallError> {
    let start = format!("function {}.", schema.name);
    let name = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .find_map(|line| line.split_once(&start))
        .and_then(|(_, rest)| rest.split_once('('));
    name.map(|(name, _)| name).ok_or(InstallError::NoFunction {
        schema: schema.name,
        text: text.lines().next().unwrap_or_default(),
    })
}

/// What Postgres adds to the message of an error, in one line.
fn details(error: &sqlx::Error) -> String {
    let database = error.as_database_error();
    let answer =
        database.and_then(|answer| answer.try_downcast_ref::<sqlx::postgres::PgDatabaseError>());
    let detail = answer.and_then(|answer| answer.detail());
    detail.map_or_else(|| error.to_string(), |detail| detail.replace('\n', ", "))
}

pub(super) fn is(error: &sqlx::Error, sqlstate: &str) -> bool {
    error
        .as_database_error()
        .and_then(|answer| answer.code())
        .as_deref()
        == Some(sqlstate)
}
