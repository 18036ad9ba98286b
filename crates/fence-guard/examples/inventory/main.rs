//! An inventory service, its own tables under the guard, tried by the conformance kit.

mod database;
mod service;
mod subject;

use fence_guard::testing::conform;
use sqlx::postgres::PgConnectOptions;
use testbed::{Options, PostgresServer};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let server = PostgresServer::start(&Options::throw_away())?;
    let options: PgConnectOptions = server.url().parse()?;
    database::make_roles(&options).await?;
    let warehouse = database::make(&options, "warehouse").await?;
    let service = database::pool(&warehouse.service).await?;
    service::migrate(&service).await?;

    let report = conform(warehouse).await?.require()?;
    print!("{report}");
    let schemas: String = sqlx::query_scalar(include_str!("sql/schemas.sql"))
        .fetch_one(&service)
        .await?;
    println!("schemas of the database: {schemas}");
    Ok(())
}
