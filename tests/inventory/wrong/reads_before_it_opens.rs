//! The stock is read, to fail early, and then the resource is opened: whatever the opening waits out is missing
//! in what was read.

use std::time::Duration;

use fence_guard::Permit;
use fence_guard::testing::{Entered, Rejected, Rule};

use crate::service::{Inventory, stock};

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "reads_before_it_opens";
    const BREAKS: Rule = Rule::S2;

    async fn enter(&self, inventory: &Inventory, permit: &Permit) -> Result<Entered, Rejected> {
        let mut connection = inventory.guard.pool().acquire().await?;
        let stock = stock(&mut connection, permit.resource()).await?;
        let open = inventory
            .guard
            .open(permit, Duration::from_secs(60))
            .await?;
        Ok(Entered {
            open,
            seen: stock.reserved,
        })
    }
}
