//! The request id is looked up before the write, and otherwise left to the unique key: of two processes that send
//! one request at once, one hears an error (C43), and its caller takes the reservation for lost.

use std::time::Duration;

use fence_guard::OpenPermit;
use fence_guard::testing::{Applied, Effect, Rejected, Rule};

use crate::service::Inventory;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "leaves_twins_to_the_key";
    const BREAKS: Rule = Rule::S6;

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
        sqlx::query(include_str!("sql/reserve_or_fail.sql"))
            .bind(effect.request)
            .bind(effect.resource.as_str())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(Applied::Now)
    }
}
