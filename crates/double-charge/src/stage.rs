//! What a run plays on: the servers, the schemas, and names that no other run has.

use std::path::PathBuf;

use anyhow::Context;
use credit_ledger::{Account, Credits, Grant, Ledger, Purpose, RequestId};
use redis::aio::MultiplexedConnection;
use sqlx::postgres::{PgPool, PgPoolOptions};
use testbed::{Options, Origin, Pair};
use uuid::Uuid;

use crate::cell::{Cell, Protection};
use crate::schema;

/// The database that a private Postgres keeps the story in.
const DATABASE: &str = "double_charge";
/// What a customer starts with, in credits.
const BALANCE: i64 = 10;

/// The servers, connected, with the schemas in place.
pub(crate) struct Stage {
    /// Inside every name of this run: a fresh Redis beside a kept Postgres is the normal case.
    pub(crate) run: String,
    pub(crate) pair: Pair,
    pub(crate) database_url: String,
    pub(crate) redis: MultiplexedConnection,
    pub(crate) pool: PgPool,
    pub(crate) ledger: Ledger,
}

/// The names of one cell: nobody else in any run uses them.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) prefix: String,
    pub(crate) resource: String,
    pub(crate) account: String,
    pub(crate) purpose: String,
}

impl Stage {
    /// Finds or starts the servers and puts the schemas in place.
    pub(crate) async fn set() -> anyhow::Result<Stage> {
        let pair =
            tokio::task::spawn_blocking(|| Pair::start(&Options::kept(data_folder()))).await??;
        let database_url = database_url(&pair).await?;
        let pool = PgPoolOptions::new()
            .max_connections(4)
            .connect(&database_url)
            .await
            .context("Postgres does not take the story's connections")?;
        let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA, schema::SCHEMA];
        fence_guard::install(&pool, &schemas)
            .await
            .with_context(|| advice(&pair))?;
        let redis = redis::Client::open(pair.redis_url())?;
        let redis = redis
            .get_multiplexed_async_connection()
            .await
            .context("Redis is away")?;
        Ok(Stage {
            run: Uuid::new_v4().simple().to_string()[..8].to_owned(),
            ledger: Ledger::new(pool.clone()),
            pair,
            database_url,
            redis,
            pool,
        })
    }

    /// The names of a cell in this run.
    pub(crate) fn names(&self, cell: Cell) -> Names {
        let Cell {
            protection,
            incident,
        } = cell;
        let scene = format!("run:{}:{}:{}", self.run, incident.name(), protection.name());
        Names {
            prefix: format!("double-charge:{}:", self.run),
            resource: format!("{scene}:user:7:dataset:42"),
            account: format!("{scene}:user:7"),
            purpose: "one query of dataset 42".to_owned(),
        }
    }

    /// Opens the customer's account, with credits on it, in the ledger that the protection charges.
    pub(crate) async fn open_account(&self, cell: Cell, names: &Names) -> anyhow::Result<()> {
        if cell.protection != Protection::FenceOpened {
            sqlx::query("insert into story.account (name, balance) values ($1, $2)")
                .bind(&names.account)
                .bind(BALANCE)
                .execute(&self.pool)
                .await?;
            return Ok(());
        }
        let account = Account::new(&*names.account)?;
        self.ledger.open_account(&account).await?;
        let grant = Grant {
            request: RequestId::random(),
            account,
            amount: Credits::new(BALANCE)?,
            purpose: Purpose::new("top-up")?,
        };
        self.ledger.grant(&grant).await?;
        Ok(())
    }
}

/// Where the private Postgres keeps its data between runs: beside what cargo builds.
pub(crate) fn data_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let target = program
        .ancestors()
        .find(|folder| folder.ends_with("target"));
    target
        .map_or_else(std::env::temp_dir, PathBuf::from)
        .join("double-charge-data")
}

/// The story's database: the one that the URL names, or one of its own on a private server.
async fn database_url(pair: &Pair) -> anyhow::Result<String> {
    if !pair.is_private() {
        return Ok(pair.database_url().to_owned());
    }
    let maintenance = PgPoolOptions::new()
        .max_connections(1)
        .connect(pair.database_url())
        .await?;
    let (exists,): (bool,) =
        sqlx::query_as("select exists (select from pg_database where datname = $1)")
            .bind(DATABASE)
            .fetch_one(&maintenance)
            .await?;
    if !exists {
        sqlx::raw_sql("create database double_charge")
            .execute(&maintenance)
            .await?;
    }
    maintenance.close().await;
    let mut url = url::Url::parse(pair.database_url())?;
    url.set_path(DATABASE);
    Ok(url.into())
}

fn advice(pair: &Pair) -> String {
    match pair.origin() {
        Origin::Private { data } => {
            format!(
                "the kept data is of another version; remove {} and run again",
                data.display()
            )
        }
        _ => "this database has schemas of another version; name another one".to_owned(),
    }
}
