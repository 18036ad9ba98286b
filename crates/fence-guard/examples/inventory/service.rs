//! The service: reserves units of items. It decides by what it has read, so it opens before it reads.

use std::time::Duration;

use fence_guard::{Error, Guard, GuardedTx, MayRefuse, OpenPermit, Permit, Refusal, Resource};
use fence_guard::{StoreError, migrations};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// How long a holder means to hold.
const HOLD: Duration = Duration::from_secs(60);
/// How long a reservation may stand still in its transaction before the server ends it.
const STANDS_STILL: Duration = Duration::from_secs(1);

/// One process of the service.
pub(crate) struct Inventory {
    pub(crate) guard: Guard,
}

/// An item as somebody has read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stock {
    pub(crate) received: i64,
    pub(crate) reserved: i64,
}

/// What a reservation came to.
#[derive(Debug)]
pub(crate) enum Reserved {
    Now,
    /// An earlier call with the same request id had made it.
    Before,
}

/// Why nothing was reserved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReserveError {
    #[error(transparent)]
    Guard(#[from] Error),
    #[error("{left} units are left, order fewer")]
    Short { left: i64 },
    #[error("nothing was reserved: {0}")]
    Database(#[from] sqlx::Error),
}

impl MayRefuse for ReserveError {
    fn refusal(&self) -> Option<&Refusal> {
        match self {
            ReserveError::Guard(error) => error.refusal(),
            _ => None,
        }
    }
}

impl From<StoreError> for ReserveError {
    fn from(error: StoreError) -> ReserveError {
        ReserveError::Guard(error.into())
    }
}

/// Puts the service's tables in place, as its own role.
pub(crate) async fn migrate(pool: &PgPool) -> Result<(), sqlx::migrate::MigrateError> {
    let text = include_str!("migrations/0001_inventory.sql");
    migrations(&[(1, "inventory", text)]).run(pool).await
}

impl Inventory {
    pub(crate) fn new(pool: PgPool) -> Inventory {
        Inventory {
            guard: Guard::new(pool),
        }
    }

    /// Goods arrive.
    pub(crate) async fn receive(&self, item: &Resource, units: i64) -> Result<(), sqlx::Error> {
        sqlx::query(include_str!("sql/receive.sql"))
            .bind(item.as_str())
            .bind(units)
            .execute(self.guard.pool())
            .await
            .map(|_| ())
    }

    /// Opens the item, then looks what is there.
    pub(crate) async fn enter(&self, permit: &Permit) -> Result<(OpenPermit, Stock), ReserveError> {
        let open = self.guard.open(permit, HOLD).await?;
        let mut connection = self.guard.pool().acquire().await?;
        let stock = stock(&mut connection, permit.resource()).await?;
        Ok((open, stock))
    }

    /// Reserves units of an item, once per request id, if there are so many.
    pub(crate) async fn reserve(
        &self,
        open: &OpenPermit,
        item: &Resource,
        request: Uuid,
        units: i64,
    ) -> Result<Reserved, ReserveError> {
        // Before the guard is asked: whoever repeats its request hears what became of it, also when stale.
        if self.is_written(request).await? {
            return Ok(Reserved::Before);
        }
        let mut tx = match self.begin(open, request).await {
            Ok(tx) => tx,
            // And after it has refused: a twin may have committed while this one waited.
            Err(Error::Refused(_)) if self.is_written(request).await? => {
                return Ok(Reserved::Before);
            }
            Err(error) => return Err(error.into()),
        };
        lock(&mut tx, item).await?;
        let Stock { received, reserved } = stock(&mut tx, item).await?;
        if received - reserved < units {
            return Err(ReserveError::Short {
                left: received - reserved,
            });
        }
        if insert(&mut tx, item, request, units).await? == 0 {
            return Ok(Reserved::Before);
        }
        tx.commit().await?;
        Ok(Reserved::Now)
    }

    /// What is there, as long as nobody has overtaken this holder.
    pub(crate) async fn stock_under(&self, open: &OpenPermit) -> Result<Stock, ReserveError> {
        let mut tx = self.begin(open, Uuid::nil()).await?;
        let stock = stock(&mut tx, open.permit().resource()).await?;
        tx.commit().await?;
        Ok(stock)
    }

    pub(crate) async fn leave(&self, open: &OpenPermit) -> Result<(), ReserveError> {
        self.guard.close(open, 0).await?;
        Ok(())
    }

    async fn begin(&self, open: &OpenPermit, request: Uuid) -> Result<GuardedTx, Error> {
        self.guard
            .begin(open, "reserve", request, STANDS_STILL)
            .await
    }

    pub(crate) async fn is_written(&self, request: Uuid) -> Result<bool, sqlx::Error> {
        sqlx::query_scalar(include_str!("sql/written.sql"))
            .bind(request)
            .fetch_one(self.guard.pool())
            .await
    }
}

pub(crate) async fn stock(
    connection: &mut PgConnection,
    item: &Resource,
) -> Result<Stock, sqlx::Error> {
    let (received, reserved) = sqlx::query_as(include_str!("sql/stock.sql"))
        .bind(item.as_str())
        .fetch_one(connection)
        .await?;
    Ok(Stock { received, reserved })
}

pub(crate) async fn lock(
    connection: &mut PgConnection,
    item: &Resource,
) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("sql/lock_item.sql"))
        .bind(item.as_str())
        .execute(connection)
        .await
        .map(|_| ())
}

/// How many rows it has added: 1, or 0 where the request was there.
pub(crate) async fn insert(
    connection: &mut PgConnection,
    item: &Resource,
    request: Uuid,
    units: i64,
) -> Result<u64, sqlx::Error> {
    let reserved = sqlx::query(include_str!("sql/reserve.sql"))
        .bind(request)
        .bind(item.as_str())
        .bind(units)
        .execute(connection)
        .await?;
    Ok(reserved.rows_affected())
}
