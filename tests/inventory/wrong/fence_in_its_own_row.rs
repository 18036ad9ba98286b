//! The fence stands in the service's own row, and every write checks and raises it ("where fence <= mine"). Only
//! writes raise it, so the old holder still gets in after the new one has read.

use fence_guard::testing::{Applied, Effect, Rejected, Rule};
use fence_guard::{OpenPermit, Reason};

use crate::service::{Inventory, insert};
use crate::way::applied;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "fence_in_its_own_row";
    const BREAKS: Rule = Rule::S2;
    const TABLES: &'static str = include_str!("sql/own_fence.sql");
    const IS_PROTECTED: bool = false;

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let mut tx = inventory.guard.pool().begin().await?;
        let raised = sqlx::query(include_str!("sql/raise_own_fence.sql"))
            .bind(effect.resource.as_str())
            .bind(open.permit().fence().as_i64())
            .execute(&mut *tx)
            .await?;
        if raised.rows_affected() == 0 {
            return Err(Rejected::Refused(Reason::Stale));
        }
        let rows = insert(&mut tx, &effect.resource, effect.request, 1).await?;
        tx.commit().await?;
        Ok(applied(rows))
    }
}
