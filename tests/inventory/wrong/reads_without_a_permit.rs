//! Writes are fenced, reads are not (C29): a holder that was overtaken is served what it decides by.

use fence_guard::OpenPermit;
use fence_guard::testing::{Rejected, Rule};

use crate::service::{Inventory, stock};

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "reads_without_a_permit";
    const BREAKS: Rule = Rule::S2;

    async fn read(&self, inventory: &Inventory, open: &OpenPermit) -> Result<i64, Rejected> {
        let mut connection = inventory.guard.pool().acquire().await?;
        Ok(stock(&mut connection, open.permit().resource())
            .await?
            .reserved)
    }
}
