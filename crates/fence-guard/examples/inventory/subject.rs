//! The service as the kit drives it: every call is one of the service's own.

use std::time::Duration;

use fence_guard::testing::{Applied, Claims, Effect, Entered, Protected, Rejected, Subject};
use fence_guard::{OpenPermit, Permit, Resource};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use crate::service::{Inventory, Reserved};

/// A database that the service has migrated, and who connects to it.
#[derive(Debug, Clone)]
pub(crate) struct Warehouse {
    pub(crate) service: PgConnectOptions,
    pub(crate) operator: PgConnectOptions,
}

impl Subject for Warehouse {
    type Instance = Inventory;

    fn claims(&self) -> Claims {
        let table = "inventory.reservation";
        let (service, operator) = (self.service.clone(), self.operator.clone());
        let mut claims = Claims::new(service, operator, table);
        claims.request_ids = true;
        claims.guarded_reads = true;
        claims.protected = Some(Protected {
            table: table.to_owned(),
            column: "resource".to_owned(),
            insert: include_str!("sql/by_hand.sql"),
        });
        claims.bound = Duration::from_secs(5);
        claims
    }

    async fn start(&self, pool: PgPool) -> Inventory {
        Inventory::new(pool)
    }

    async fn prepare(&self, inventory: &Inventory, resource: &Resource) -> Result<(), Rejected> {
        Ok(inventory.receive(resource, 1_000).await?)
    }

    async fn enter(&self, inventory: &Inventory, permit: &Permit) -> Result<Entered, Rejected> {
        let (open, stock) = inventory.enter(permit).await.map_err(Rejected::by)?;
        Ok(Entered {
            open,
            seen: stock.reserved,
        })
    }

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let reserved = inventory
            .reserve(open, &effect.resource, effect.request, 1)
            .await;
        Ok(match reserved.map_err(Rejected::by)? {
            Reserved::Now => Applied::Now,
            Reserved::Before => Applied::Before,
        })
    }

    async fn leave(&self, inventory: &Inventory, open: &OpenPermit) -> Result<(), Rejected> {
        inventory.leave(open).await.map_err(Rejected::by)
    }

    async fn read(&self, inventory: &Inventory, open: &OpenPermit) -> Result<i64, Rejected> {
        let stock = inventory.stock_under(open).await.map_err(Rejected::by)?;
        Ok(stock.reserved)
    }

    async fn effects(&self, operator: &PgPool, resource: &Resource) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar(include_str!("sql/count.sql"))
            .bind(resource.as_str())
            .fetch_one(operator)
            .await
    }
}
