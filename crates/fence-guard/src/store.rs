//! The one door to Postgres: how a call reaches it, directly or through a transaction pooler.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgPool, PgRow, Postgres};
use sqlx::query::QueryAs;
use sqlx::{FromRow, Transaction};

use crate::error::StoreError;

/// How a guard reaches Postgres, and how long it waits there. The default: directly, and ten seconds.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GuardOptions {
    pub(crate) pooled: bool,
    pub(crate) wait: Duration,
}

impl Default for GuardOptions {
    fn default() -> GuardOptions {
        GuardOptions {
            pooled: false,
            wait: Duration::from_secs(10),
        }
    }
}

impl GuardOptions {
    /// For a pool that speaks to a transaction pooler, such as PgBouncer with `pool_mode = transaction`.
    ///
    /// sqlx prepares a statement in one step and runs it in the next; between the two, a transaction
    /// pooler may hand the connection to another server, where the same name is another statement. So
    /// each call becomes BEGIN, an unnamed statement, COMMIT. Only a direct connection needs one round
    /// trip.
    pub fn pooled() -> GuardOptions {
        GuardOptions {
            pooled: true,
            ..GuardOptions::default()
        }
    }

    /// With another bound on how long [`Guard::open`](crate::Guard::open) and
    /// [`Guard::close`](crate::Guard::close) wait for each lock, that is for the writers in flight,
    /// before they say who blocks them.
    ///
    /// From 1 ms to one hour, and clamped to that; default: ten seconds. A charge waits for ten seconds
    /// at the most. A writer that locks the row by hand, without the guard's functions, may add to it.
    pub fn with_wait(self, wait: Duration) -> GuardOptions {
        GuardOptions {
            wait: wait.clamp(Duration::from_millis(1), Duration::from_secs(3600)),
            ..self
        }
    }
}

/// A pool, and how to call through it. Cloning is cheap.
///
/// It is public for crates that put tables of their own behind the guard, as `credit-ledger` does: what
/// they call must take the same way.
#[derive(Debug, Clone)]
pub struct Store {
    pool: PgPool,
    pub(crate) options: GuardOptions,
}

impl Store {
    /// Calls through `pool`.
    pub fn new(pool: PgPool, options: GuardOptions) -> Store {
        Store { pool, options }
    }

    /// The pool.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Whether calls go through a transaction pooler, so that no statement may have a name.
    pub fn is_pooled(&self) -> bool {
        self.options.pooled
    }

    /// Calls a function that answers one row, and commits what it did.
    ///
    /// # Errors
    /// [`StoreError`] if there is no answer; [`StoreError::Unknown`] also when the COMMIT of a pooled
    /// call was not answered.
    pub async fn call<'q, T>(
        &self,
        query: QueryAs<'q, Postgres, T, PgArguments>,
    ) -> Result<T, StoreError>
    where
        T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        if !self.options.pooled {
            return Ok(query.fetch_one(&mut *self.connection().await?).await?);
        }
        let mut tx = self.begin().await?;
        let row = query.persistent(false).fetch_one(&mut *tx).await?;
        tx.commit().await?;
        Ok(row)
    }

    /// Reads rows.
    ///
    /// # Errors
    /// [`StoreError`] if there is no answer.
    pub async fn read<'q, T>(
        &self,
        query: QueryAs<'q, Postgres, T, PgArguments>,
    ) -> Result<Vec<T>, StoreError>
    where
        T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        if !self.options.pooled {
            return Ok(query.fetch_all(&mut *self.connection().await?).await?);
        }
        let mut tx = self.begin().await?;
        let rows = query.persistent(false).fetch_all(&mut *tx).await?;
        tx.commit().await?;
        Ok(rows)
    }

    /// A connection. Whatever keeps us from having one, nothing was sent.
    async fn connection(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        self.pool.acquire().await.map_err(StoreError::Failed)
    }

    /// Begins a transaction at the level that the guard needs, whatever the role's default is. What has
    /// only begun has written nothing, also where the reply to it was lost.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let begun = self
            .pool
            .begin_with("begin isolation level read committed")
            .await;
        begun.map_err(StoreError::Failed)
    }

    /// Begins a transaction and calls a function in it that answers one row.
    pub(crate) async fn begin_with<'q, T>(
        &self,
        query: QueryAs<'q, Postgres, T, PgArguments>,
    ) -> Result<(Transaction<'static, Postgres>, T), StoreError>
    where
        T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        let mut tx = self.begin().await?;
        let row = query
            .persistent(!self.options.pooled)
            .fetch_one(&mut *tx)
            .await?;
        Ok((tx, row))
    }
}
