//! A database for the service: the guard installed by one role, the tables migrated by another.

use fence_guard::{SCHEMA, install};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};

use crate::subject::Warehouse;

/// Makes the roles of a new server.
pub(crate) async fn make_roles(server: &PgConnectOptions) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect_with(server).await?;
    sqlx::raw_sql(include_str!("sql/roles.sql"))
        .execute(&mut connection)
        .await?;
    connection.close().await
}

/// Makes a database of this name (letters and underscores), which belongs to the installer, and installs the
/// guard in it. The service has a schema there, and no table yet.
pub(crate) async fn make(server: &PgConnectOptions, name: &str) -> anyhow::Result<Warehouse> {
    let mut connection = PgConnection::connect_with(server).await?;
    let statement = format!("create database {name} owner installer");
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(&mut connection)
        .await?;
    connection.close().await?;

    let at = |role: &str| server.clone().database(name).username(role);
    let warehouse = Warehouse {
        service: at("inventory"),
        operator: at("installer"),
    };
    let installer = pool(&warehouse.operator).await?;
    install(&installer, &[SCHEMA]).await?;
    sqlx::raw_sql(include_str!("sql/service.sql"))
        .execute(&installer)
        .await?;
    installer.close().await;
    Ok(warehouse)
}

/// A pool of one connection.
pub(crate) async fn pool(options: &PgConnectOptions) -> Result<PgPool, sqlx::Error> {
    PgPoolOptions::new()
        .max_connections(1)
        .connect_with(options.clone())
        .await
}
