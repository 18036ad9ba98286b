//! The inventory of the example, saying something else of itself.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use fence_guard::testing::{Applied, Claims, Effect, Entered, Rejected, Subject};
use fence_guard::{OpenPermit, Permit, Resource};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use testbed::{Options, PostgresServer};

use crate::service::Inventory;
use crate::subject::Warehouse;
use crate::{database, service};

/// The inventory, with other claims, and perhaps with another way to write.
#[derive(Clone)]
pub(crate) struct Variant {
    pub(crate) warehouse: Warehouse,
    pub(crate) claims: Claims,
    /// Whether it says of each write that it has succeeded, and writes nothing.
    pub(crate) loses_writes: bool,
    /// Where it never comes to an end.
    pub(crate) hangs: Option<Hangs>,
    /// How many of its processes were started.
    starts: Arc<AtomicUsize>,
}

/// Where a service hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hangs {
    /// When its first process starts: the one that prepares.
    FirstStart,
    /// When another process starts.
    LaterStart,
    /// When it prepares.
    Prepare,
}

impl Variant {
    /// On a server of its own, which goes with the second value.
    pub(crate) async fn start() -> (Variant, PostgresServer) {
        let server = PostgresServer::start(&Options::throw_away()).unwrap();
        let options: PgConnectOptions = server.url().parse().unwrap();
        database::make_roles(&options).await.unwrap();
        let warehouse = database::make(&options, "warehouse").await.unwrap();
        let pool = database::pool(&warehouse.service).await.unwrap();
        service::migrate(&pool).await.unwrap();
        let variant = Variant {
            claims: warehouse.claims(),
            warehouse,
            loses_writes: false,
            hangs: None,
            starts: Arc::default(),
        };
        (variant, server)
    }

    /// Lets its own role change its tables.
    pub(crate) async fn alter(&self, statements: &'static str) {
        let pool = database::pool(&self.warehouse.service).await.unwrap();
        sqlx::raw_sql(statements).execute(&pool).await.unwrap();
        pool.close().await;
    }

    async fn hang(&self, here: Hangs) {
        if self.hangs == Some(here) {
            pending().await
        }
    }
}

impl Subject for Variant {
    type Instance = Inventory;

    fn claims(&self) -> Claims {
        self.claims.clone()
    }

    async fn start(&self, pool: PgPool) -> Inventory {
        let hangs = match self.starts.fetch_add(1, Relaxed) {
            0 => Hangs::FirstStart,
            _ => Hangs::LaterStart,
        };
        self.hang(hangs).await;
        self.warehouse.start(pool).await
    }

    async fn prepare(&self, inventory: &Inventory, resource: &Resource) -> Result<(), Rejected> {
        self.hang(Hangs::Prepare).await;
        self.warehouse.prepare(inventory, resource).await
    }

    async fn enter(&self, inventory: &Inventory, permit: &Permit) -> Result<Entered, Rejected> {
        self.warehouse.enter(inventory, permit).await
    }

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        if self.loses_writes {
            return Ok(Applied::Now);
        }
        self.warehouse.write(inventory, open, effect).await
    }

    async fn leave(&self, inventory: &Inventory, open: &OpenPermit) -> Result<(), Rejected> {
        self.warehouse.leave(inventory, open).await
    }

    async fn read(&self, inventory: &Inventory, open: &OpenPermit) -> Result<i64, Rejected> {
        self.warehouse.read(inventory, open).await
    }

    async fn effects(&self, operator: &PgPool, resource: &Resource) -> Result<i64, sqlx::Error> {
        self.warehouse.effects(operator, resource).await
    }
}
