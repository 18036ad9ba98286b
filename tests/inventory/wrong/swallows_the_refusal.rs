//! A refusal is logged and forgotten: the caller is told that the reservation was made.

use fence_guard::OpenPermit;
use fence_guard::testing::{Applied, Effect, Rejected, Rule};

use crate::service::Inventory;
use crate::way::reserve;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "swallows_the_refusal";
    const BREAKS: Rule = Rule::S7;

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        match reserve(inventory, open, effect).await {
            Err(Rejected::Refused(_)) => Ok(Applied::Now),
            outcome => outcome,
        }
    }
}
