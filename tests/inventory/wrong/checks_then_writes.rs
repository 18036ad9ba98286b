//! The service looks at the mark, and then writes in a transaction of its own (C28, in one database): what
//! happens between the two is not seen.

use fence_guard::testing::{Applied, Effect, Rejected, Rule};
use fence_guard::{OpenPermit, Reason};

use crate::service::{Inventory, insert};
use crate::way::applied;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "checks_then_writes";
    const BREAKS: Rule = Rule::S2;
    const TABLES: &'static str = include_str!("sql/unprotected.sql");
    const IS_PROTECTED: bool = false;

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let mark = inventory.guard.mark(&effect.resource).await?;
        if mark != open.permit().fence().as_floor() {
            return Err(Rejected::Refused(Reason::Stale));
        }
        let mut connection = inventory.guard.pool().acquire().await?;
        Ok(applied(
            insert(&mut connection, &effect.resource, effect.request, 1).await?,
        ))
    }
}
