//! A database that is asked and never written to.

use std::time::Duration;

use credit_ledger::Ledger;
use fence_guard::{Guard, StoreError};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};
use time::OffsetDateTime;
use tokio::time::timeout;

use crate::error::Error;

/// What the connections are called in `pg_stat_activity`.
const NAME: &str = "ledger";
/// How long it is tried to connect.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// A question, what is listened on, and one to spare.
const CONNECTIONS: u32 = 3;

/// A database with the guard in it, through connections that cannot write.
#[derive(Debug, Clone)]
pub struct Database {
    pool: PgPool,
    guard: Guard,
    ledger: Option<Ledger>,
    role: String,
    address: String,
}

impl Database {
    /// Connects, and looks which schemas there are.
    ///
    /// `default_transaction_read_only` goes along when the connection is made, behind whatever the URL sets: Postgres
    /// then refuses every write (25006). It has to reach the server, so the URL leads there directly, or through a pooler
    /// that passes `options` on.
    ///
    /// # Errors
    /// [`Error::Unreachable`], [`Error::NotInstalled`] without the guard.
    pub async fn connect(url: &str) -> Result<Database, Error> {
        let address = testbed::redacted(url);
        let unreachable = |source| Error::Unreachable {
            address: address.clone(),
            source,
        };
        let options = options(url).map_err(unreachable)?;
        let asked = timeout(CONNECT_WITHIN, ask(&options)).await;
        let asked = asked.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        let (role, has_guard, has_ledger) = asked.map_err(unreachable)?;
        if !has_guard {
            let schema = "fence";
            return Err(Error::NotInstalled { address, schema });
        }
        let pool = pool(options);
        let guard = Guard::new(pool.clone());
        Ok(Database {
            ledger: has_ledger.then(|| Ledger::on(&guard)),
            pool,
            guard,
            role,
            address,
        })
    }

    /// The guard.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The ledger, where it is installed beside the guard.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// The ledger, for a question that is about it.
    ///
    /// # Errors
    /// [`Error::NotInstalled`].
    pub fn need_ledger(&self) -> Result<&Ledger, Error> {
        self.ledger.as_ref().ok_or_else(|| Error::NotInstalled {
            address: self.address.clone(),
            schema: "credit",
        })
    }

    /// Who asks.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// Connections that cannot write.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// What an answer means that was none.
    pub fn error(&self, error: StoreError) -> Error {
        Error::of_store(error, &self.role)
    }

    /// The time of the database's clock.
    ///
    /// # Errors
    /// [`Error::Lost`] if Postgres does not answer.
    pub async fn now(&self) -> Result<OffsetDateTime, Error> {
        let now = sqlx::query_scalar(include_str!("../sql/now.sql"));
        let now = now.fetch_one(&self.pool).await;
        now.map_err(|error| self.error(error.into()))
    }
}

/// Who asks, and which of the two schemas there are. Without a pool, which would try a server that is not there again
/// and again.
async fn ask(options: &PgConnectOptions) -> Result<(String, bool, bool), sqlx::Error> {
    let mut connection = options.connect().await?;
    let asked = sqlx::query_as(include_str!("../sql/asked.sql"));
    let asked = asked.fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(asked)
}

/// Of connections that cannot write.
pub(crate) fn options(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    Ok(options
        .application_name(NAME)
        .options([("default_transaction_read_only", "on")]))
}

/// Connections that are made as they are needed.
pub(crate) fn pool(options: PgConnectOptions) -> PgPool {
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS);
    pool.acquire_timeout(CONNECT_WITHIN)
        .connect_lazy_with(options)
}
