//! A process that was admitted once remembers it, to save the round trip, and does not ask again.

use std::collections::HashSet;
use std::sync::Mutex;

use fence_guard::testing::{Applied, Effect, Entered, Rejected, Rule};
use fence_guard::{OpenPermit, Permit};

use crate::service::{Inventory, insert};
use crate::way::{applied, reserve};

/// The permits that this process has seen admitted.
#[derive(Default)]
pub(crate) struct Way {
    admitted: Mutex<HashSet<Permit>>,
}

impl crate::way::Way for Way {
    const NAME: &'static str = "remembers_the_check";
    const BREAKS: Rule = Rule::S2;
    const TABLES: &'static str = include_str!("sql/unprotected.sql");
    const IS_PROTECTED: bool = false;

    async fn enter(&self, inventory: &Inventory, permit: &Permit) -> Result<Entered, Rejected> {
        let (open, stock) = inventory.enter(permit).await.map_err(Rejected::by)?;
        self.admitted.lock().unwrap().insert(permit.clone());
        Ok(Entered {
            open,
            seen: stock.reserved,
        })
    }

    async fn write(
        &self,
        inventory: &Inventory,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let is_known = self.admitted.lock().unwrap().contains(open.permit());
        if !is_known {
            return reserve(inventory, open, effect).await;
        }
        let mut connection = inventory.guard.pool().acquire().await?;
        let rows = insert(&mut connection, &effect.resource, effect.request, 1).await?;
        Ok(applied(rows))
    }
}
