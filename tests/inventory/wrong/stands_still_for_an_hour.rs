//! Transactions are begun with a generous time to stand still: a frozen holder keeps its successor out for it.

use std::time::Duration;

use fence_guard::OpenPermit;
use fence_guard::testing::{Applied, Effect, Rejected, Rule};

use crate::service::{Inventory, insert};
use crate::way::applied;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "stands_still_for_an_hour";
    const BREAKS: Rule = Rule::S10;

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let an_hour = Duration::from_secs(3600);
        let begun = inventory
            .guard
            .begin(open, "reserve", effect.request, an_hour);
        let mut tx = begun.await?;
        let rows = insert(&mut tx, &effect.resource, effect.request, 1).await?;
        tx.commit().await?;
        Ok(applied(rows))
    }
}
