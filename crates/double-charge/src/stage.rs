//! What a run plays on: the servers, the schemas, and names that no other run has.

use anyhow::Context;
use credit_ledger::{Account, Credits, Grant, Ledger, Purpose, RequestId};
use fence_guard::{Guard, Schema};
use ledger_console::kept;
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use sqlx::AssertSqlSafe;
use sqlx::postgres::{PgPool, PgPoolOptions};
use testbed::{Options, Pair};
use uuid::Uuid;

use crate::cell::{Cell, Protection};
use crate::patience::connect_redis;
use crate::schema;

/// The schemas, each after those that it needs.
const SCHEMAS: [Schema; 3] = [fence_guard::SCHEMA, credit_ledger::SCHEMA, schema::SCHEMA];
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
            tokio::task::spawn_blocking(|| Pair::start(&Options::kept(kept::folder()))).await??;
        let database_url = database_url(&pair).await?;
        let pool = PgPoolOptions::new()
            .max_connections(4)
            .connect(&database_url)
            .await
            .context("Postgres does not take the story's connections")?;
        let installed = fence_guard::install(&pool, &SCHEMAS).await;
        installed.context("this database has the schemas of another version")?;
        let redis = connect_redis(pair.redis_url())
            .await
            .context("Redis is away")?;
        Ok(Stage {
            run: Uuid::new_v4().simple().to_string()[..8].to_owned(),
            ledger: Ledger::on(&Guard::new(pool.clone())),
            pair,
            database_url,
            redis,
            pool,
        })
    }

    /// The names of a cell in this run, at its first try or a later one.
    pub(crate) fn names(&self, cell: Cell, attempt: u32) -> Names {
        let (incident, protection) = (cell.incident.name(), cell.protection.name());
        let again = match attempt {
            0 => String::new(),
            later => format!(":again-{later}"),
        };
        let scene = format!("run:{}:{incident}:{protection}{again}", self.run);
        Names {
            prefix: format!("double-charge:{}:", self.run),
            resource: format!("{scene}:user:7:dataset:42"),
            account: format!("{scene}:user:7"),
            purpose: "one query of dataset 42".to_owned(),
        }
    }

    /// Removes the run's own keys from Redis: its counters, which nobody will ask again. A server of
    /// somebody else's would keep them for ever.
    pub(crate) async fn clear_redis(&self) -> anyhow::Result<()> {
        let mut redis = self.redis.clone();
        let pattern = format!("double-charge:{}:*", self.run);
        let mut keys: Vec<String> = Vec::new();
        let mut found = self.redis.clone();
        let mut found = found.scan_match::<_, String>(pattern).await?;
        while let Some(key) = found.next_item().await {
            keys.push(key?);
        }
        if !keys.is_empty() {
            let _: () = redis.del(keys).await?;
        }
        Ok(())
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

/// The story's database: the one that the URL names, or one of its own on a private server.
async fn database_url(pair: &Pair) -> anyhow::Result<String> {
    if !pair.is_private() {
        return Ok(pair.database_url().to_owned());
    }
    let name = database_name();
    let maintenance = PgPoolOptions::new()
        .max_connections(1)
        .connect(pair.database_url())
        .await?;
    let (exists,): (bool,) =
        sqlx::query_as("select exists (select from pg_database where datname = $1)")
            .bind(&name)
            .fetch_one(&maintenance)
            .await?;
    if !exists {
        let create = AssertSqlSafe(format!("create database {name}"));
        sqlx::raw_sql(create).execute(&maintenance).await?;
    }
    maintenance.close().await;
    let mut url = url::Url::parse(pair.database_url())?;
    url.set_path(&name);
    Ok(url.into())
}

/// A name for each version of the tables, so that kept data of another version is not in the way.
fn database_name() -> String {
    let migrations = SCHEMAS
        .iter()
        .flat_map(|schema| (schema.migrator)().iter().cloned().collect::<Vec<_>>());
    let texts: String = migrations
        .map(|migration| migration.sql.as_str().to_owned())
        .collect();
    let version = Uuid::new_v5(&Uuid::NAMESPACE_OID, texts.as_bytes())
        .simple()
        .to_string();
    format!("{}{}", kept::DATABASE_PREFIX, &version[..8])
}
