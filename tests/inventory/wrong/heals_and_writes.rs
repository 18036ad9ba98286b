//! Whoever is refused as stale mints a higher fence, opens, and writes, as a retry would, without reading again:
//! the decision is the old one, and the rightful holder is overtaken by a zombie.

use std::time::Duration;

use fence_guard::testing::{Applied, Effect, Rejected, Rule};
use fence_guard::{Fence, Holder, OpenPermit, Permit, Reason};

use crate::service::Inventory;
use crate::way::reserve;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "heals_and_writes";
    const BREAKS: Rule = Rule::S2;

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let outcome = reserve(inventory, open, effect).await;
        if !matches!(outcome, Err(Rejected::Refused(Reason::Stale))) {
            return outcome;
        }
        let mark = inventory.guard.mark(open.permit().resource()).await?;
        let fence = Fence::new(mark.get() + 1).unwrap();
        let higher = Permit::new(open.permit().resource().clone(), fence, Holder::random());
        let healed = inventory
            .guard
            .open(&higher, Duration::from_secs(60))
            .await?;
        reserve(inventory, &healed, effect).await
    }
}
