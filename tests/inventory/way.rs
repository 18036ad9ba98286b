//! A way to run the inventory that differs from the right one in one thing.

use std::marker::PhantomData;
use std::time::Duration;

use fence_guard::testing::{Applied, Claims, Effect, Entered, Rejected, Rule, Subject, conform};
use fence_guard::{OpenPermit, Permit, Resource};
use sqlx::PgPool;

use crate::convicted::Convicted;
use crate::database;
use crate::service::{Inventory, Reserved};
use crate::subject::Warehouse;
use crate::warehouses::Warehouses;

/// What is done otherwise than in `service.rs`. Every default is the right way.
pub(crate) trait Way: Default + Send + Sync + 'static {
    /// Its name, and that of its database.
    const NAME: &'static str;
    /// The rule that it breaks.
    const BREAKS: Rule;
    /// What it has done to its tables since they were migrated, by its own role.
    const TABLES: &'static str = "";
    /// Whether its table is protected by `fence.protect`, so that statements by hand have to be refused.
    const IS_PROTECTED: bool = true;
    /// The column of its table that names a row's resource.
    const COLUMN: &'static str = "resource";
    /// Whether a request is looked up before it is written.
    const LOOKS_FOR_REQUESTS: bool = true;

    fn enter(
        &self,
        inventory: &Inventory,
        permit: &Permit,
    ) -> impl Future<Output = Result<Entered, Rejected>> + Send {
        async {
            let (open, stock) = inventory.enter(permit).await.map_err(Rejected::by)?;
            Ok(Entered {
                open,
                seen: stock.reserved,
            })
        }
    }

    fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> impl Future<Output = Result<Applied, Rejected>> + Send {
        reserve(inventory, open, effect)
    }

    fn read(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
    ) -> impl Future<Output = Result<i64, Rejected>> + Send {
        async {
            Ok(inventory
                .stock_under(open)
                .await
                .map_err(Rejected::by)?
                .reserved)
        }
    }
}

/// The right way to write.
pub(crate) async fn reserve(
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

/// What an insertion of so many rows says of its request.
pub(crate) fn applied(rows: u64) -> Applied {
    match rows {
        0 => Applied::Before,
        _ => Applied::Now,
    }
}

/// An inventory that goes this way. Each of its processes has a memory of its own.
pub(crate) struct Gone<W> {
    right: Warehouse,
    way: PhantomData<W>,
}

/// Lets the kit loose on it.
pub(crate) async fn convict<W: Way>(warehouses: &Warehouses) -> Convicted {
    let right = warehouses.migrated(W::NAME).await;
    let pool = database::pool(&right.service).await.unwrap();
    sqlx::raw_sql(W::TABLES).execute(&pool).await.unwrap();
    pool.close().await;
    let subject: Gone<W> = Gone {
        right,
        way: PhantomData,
    };
    Convicted {
        name: W::NAME.to_owned(),
        rule: W::BREAKS,
        report: conform(subject).await.unwrap(),
    }
}

impl<W: Way> Subject for Gone<W> {
    type Instance = (W, Inventory);

    fn claims(&self) -> Claims {
        let mut claims = self.right.claims();
        claims.protected = claims.protected.filter(|_| W::IS_PROTECTED);
        if let Some(protected) = &mut claims.protected {
            protected.column = W::COLUMN.to_owned();
        }
        claims.bound = Duration::from_secs(3);
        claims
    }

    async fn start(&self, pool: PgPool) -> (W, Inventory) {
        (W::default(), Inventory::new(pool))
    }

    async fn prepare(
        &self,
        (_, inventory): &(W, Inventory),
        resource: &Resource,
    ) -> Result<(), Rejected> {
        self.right.prepare(inventory, resource).await
    }

    async fn enter(
        &self,
        (way, inventory): &(W, Inventory),
        permit: &Permit,
    ) -> Result<Entered, Rejected> {
        way.enter(inventory, permit).await
    }

    async fn write(
        &self,
        (way, inventory): &(W, Inventory),
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        if W::LOOKS_FOR_REQUESTS && inventory.is_written(effect.request).await? {
            return Ok(Applied::Before);
        }
        way.write(inventory, open, effect).await
    }

    async fn leave(
        &self,
        (_, inventory): &(W, Inventory),
        open: &OpenPermit,
    ) -> Result<(), Rejected> {
        self.right.leave(inventory, open).await
    }

    async fn read(
        &self,
        (way, inventory): &(W, Inventory),
        open: &OpenPermit,
    ) -> Result<i64, Rejected> {
        way.read(inventory, open).await
    }

    async fn effects(&self, operator: &PgPool, resource: &Resource) -> Result<i64, sqlx::Error> {
        self.right.effects(operator, resource).await
    }
}
