//! Whoever enters makes up a holder, also when it sends an opening again whose reply was lost (C30): it is told
//! *conflict* by its own opening.

use fence_guard::testing::{Entered, Rejected, Rule};
use fence_guard::{Holder, Permit};

use crate::service::Inventory;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "a_new_holder_each_time";
    const BREAKS: Rule = Rule::S10;

    async fn enter(&self, inventory: &Inventory, permit: &Permit) -> Result<Entered, Rejected> {
        let (resource, fence) = (permit.resource().clone(), permit.fence());
        let made_up = Permit::new(resource, fence, Holder::random());
        let (open, stock) = inventory.enter(&made_up).await.map_err(Rejected::by)?;
        Ok(Entered {
            open,
            seen: stock.reserved,
        })
    }
}
