//! One call for many charges.

use sqlx::types::time::OffsetDateTime;

use super::Waiting;
use crate::answer::Applied;
use crate::ledger::Ledger;
use fence_guard::StoreError;

/// `credit.charge_together`, a row for each charge that was applied.
#[derive(sqlx::FromRow)]
struct Row {
    n: i64,
    replayed: bool,
    seq: i64,
    at: OffsetDateTime,
    balance_after: i64,
}

impl Ledger {
    /// Charges what can be charged without waiting; `None` for what has to go alone. In the order of `charges`.
    ///
    /// # Errors
    /// [`StoreError`]; of [`StoreError::Unknown`] each charge may be sent alone all the same, under its request id.
    pub(super) async fn charge_together(
        &self,
        charges: &[Waiting],
    ) -> Result<Vec<Option<Applied>>, StoreError> {
        let permits = || charges.iter().map(|waiting| &waiting.permit);
        let requests = || charges.iter().map(|waiting| &waiting.charge);
        let query = "select * from credit.charge_together($1, $2, $3, $4, $5, $6, $7, $8)";
        let query = sqlx::query_as(query)
            .bind(collect(permits().map(|permit| permit.resource().as_str())))
            .bind(collect(permits().map(|permit| permit.fence().as_i64())))
            .bind(collect(permits().map(|permit| permit.holder().as_uuid())))
            .bind(collect(requests().map(|charge| charge.request.as_uuid())))
            .bind(collect(requests().map(|charge| charge.account.as_str())))
            .bind(collect(requests().map(|charge| charge.amount.get())))
            .bind(collect(requests().map(|charge| charge.purpose.as_str())))
            .bind("charge_together");
        let rows: Vec<Row> = self.store.read(query).await?;

        let mut outcomes = vec![None; charges.len()];
        for row in rows {
            let place = usize::try_from(row.n - 1).ok();
            let outcome = place.and_then(|place| outcomes.get_mut(place));
            *outcome.ok_or_else(|| StoreError::Foreign {
                what: format!("charge number {} of {}", row.n, charges.len()),
            })? = Some(Applied {
                seq: row.seq,
                at: row.at,
                balance_after: row.balance_after,
                replayed: row.replayed,
            });
        }
        Ok(outcomes)
    }
}

fn collect<T>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.collect()
}
