//! A request that is sent again is refused where its holder was overtaken: the caller takes what was written for
//! lost.

use std::time::Duration;

use fence_guard::OpenPermit;
use fence_guard::testing::{Applied, Effect, Rejected, Rule};

use crate::service::{Inventory, insert};
use crate::way::applied;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "forgets_its_requests";
    const BREAKS: Rule = Rule::S6;
    const LOOKS_FOR_REQUESTS: bool = false;

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let stands_still = Duration::from_secs(1);
        let begun = inventory
            .guard
            .begin(open, "reserve", effect.request, stands_still);
        let mut tx = begun.await?;
        let rows = insert(&mut tx, &effect.resource, effect.request, 1).await?;
        tx.commit().await?;
        Ok(applied(rows))
    }
}
