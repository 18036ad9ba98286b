//! The check is made in a savepoint that is rolled back, so as to keep the transaction clean: its lock is given
//! back with it, and nothing holds the successor up.

use fence_guard::OpenPermit;
use fence_guard::testing::{Applied, Effect, Rejected, Rule};
use sqlx::Acquire;

use crate::service::{Inventory, insert};
use crate::way::applied;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "checks_in_a_savepoint";
    const BREAKS: Rule = Rule::S2;
    const TABLES: &'static str = include_str!("sql/unprotected.sql");
    const IS_PROTECTED: bool = false;

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let mut tx = inventory.guard.pool().begin().await?;
        let mut check = tx.begin().await?;
        let outcome: String = sqlx::query_scalar(include_str!("sql/admit.sql"))
            .bind(effect.resource.as_str())
            .bind(open.permit().fence().as_i64())
            .bind(open.permit().holder().as_uuid())
            .bind(effect.request)
            .fetch_one(&mut *check)
            .await?;
        check.rollback().await?;
        if let Ok(reason) = outcome.parse() {
            return Err(Rejected::Refused(reason));
        }
        let rows = insert(&mut tx, &effect.resource, effect.request, 1).await?;
        tx.commit().await?;
        Ok(applied(rows))
    }
}
