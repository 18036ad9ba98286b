//! Admission: how a guarded transaction begins.

use std::time::Duration;

use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::QueryAs;
use tracing::instrument;
use uuid::Uuid;

use crate::error::{Error, StoreError};
use crate::guard::{Guard, refusal, validity};
use crate::open_permit::OpenPermit;
use crate::tx::GuardedTx;

/// What `fence.admit` answers: outcome, the refused resource, the mark that it saw, and whose that is.
type Admission = (String, Option<String>, Option<i64>, Option<Uuid>);

impl Guard {
    /// Begins a transaction that may write under the permit: `BEGIN` and the admission, two round trips.
    ///
    /// Everything read and written in it is fenced: no successor opens before it ends. Keep it short.
    /// `operation` (1 to 128 bytes) and `request` (its id, [`Uuid::nil`] for none) name the write in the
    /// row of a refusal; `valid_for` is how long the transaction may stand still before the server ends it
    /// (at least one second).
    ///
    /// # Errors
    /// [`Error::Refused`] when the holder has been overtaken or has closed: the refusal is then a row,
    /// and committed. [`Error::Store`] otherwise.
    pub async fn begin(
        &self,
        open: &OpenPermit,
        operation: &str,
        request: Uuid,
        valid_for: Duration,
    ) -> Result<GuardedTx, Error> {
        self.begin_all(&[open], operation, request, valid_for).await
    }

    /// [`begin`](Guard::begin) for what concerns several resources at once, such as moving a row from one to
    /// another: 1 to 64 openings of different resources, in any order.
    ///
    /// All are admitted or none. The guard locks them in the order of their names, so two of these never
    /// deadlock with each other; a successor of any of them waits for the transaction.
    ///
    /// # Errors
    /// As [`begin`](Guard::begin); the refusal is the first one's in the order of the names.
    /// [`StoreError::Misuse`] (`ZF004`) for no opening, more than 64, or two of one resource.
    #[instrument(name = "fence_guard.begin", skip_all, err(level = "debug"), fields(
        fence.resource = opens.first().map(|open| open.permit.resource().as_str()),
        fence.presented = opens.first().map(|open| open.permit.fence().get()),
        fence.permits = opens.len(), operation))]
    pub async fn begin_all(
        &self,
        opens: &[&OpenPermit],
        operation: &str,
        request: Uuid,
        valid_for: Duration,
    ) -> Result<GuardedTx, Error> {
        let query = call_admit(opens, operation, request, valid_for);
        let (tx, answer) = self.store().begin_with(query).await?;
        let (outcome, resource, mark, holder) = answer;
        if outcome == "admitted" {
            return Ok(GuardedTx {
                tx,
                pooled: self.store().is_pooled(),
            });
        }
        let refused = opens
            .iter()
            .find(|open| Some(open.permit.resource().as_str()) == resource.as_deref())
            .ok_or_else(|| StoreError::Foreign {
                what: format!("{outcome:?}"),
            })?;
        let refusal = refusal(&refused.permit, &outcome, mark, holder)?;
        // At once: the row of the refusal must stay, and the share locks must go.
        tx.commit().await?;
        Err(refusal.into())
    }
}

fn call_admit<'q>(
    opens: &[&OpenPermit],
    operation: &'q str,
    request: Uuid,
    valid_for: Duration,
) -> QueryAs<'q, Postgres, Admission, PgArguments> {
    let permits = opens.iter().map(|open| &open.permit);
    let names: Vec<String> = permits
        .clone()
        .map(|permit| permit.resource().as_str().to_owned())
        .collect();
    let fences: Vec<i64> = permits
        .clone()
        .map(|permit| permit.fence().as_i64())
        .collect();
    let holders: Vec<Uuid> = permits.map(|permit| permit.holder().as_uuid()).collect();
    sqlx::query_as(
        "select outcome, resource, mark, mark_holder
         from fence.admit(array(select (r, f, h)::fence.permit from unnest($1, $2, $3) u (r, f, h)),
                          $4, $5, $6, '{}', $7)",
    )
    .bind(names)
    .bind(fences)
    .bind(holders)
    .bind(operation)
    .bind(request)
    .bind(validity(valid_for))
    .bind("admit")
}
