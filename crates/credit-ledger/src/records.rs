//! What the ledger has recorded: entries, holds, refused writes, and what an audit finds.

use fence_guard::{Finding, StoreError};
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

use crate::hold_state::HoldState;
use crate::ledger::Ledger;
use crate::names::{Account, Purpose};

/// An entry of the ledger.
#[derive(Debug, Clone, sqlx::FromRow)]
#[non_exhaustive]
pub struct EntryRow {
    /// Its number; entries are listed in this order.
    pub seq: i64,
    /// The request that it answers.
    pub request: Uuid,
    /// `grant`, `charge` or `refund`.
    pub operation: String,
    /// Whose credits they are.
    pub account: String,
    /// Credits that entered the account; below zero for those that left it.
    pub change: i64,
    /// The account's balance after it.
    pub balance_after: i64,
    /// What for; of a refund, what its charge was for.
    pub purpose: String,
    /// Of a charge that captured a hold: the request id of the hold.
    pub hold: Option<Uuid>,
    /// Of a refund: the request id of its charge.
    pub refund_of: Option<Uuid>,
    /// The resource under whose opening it was written; `None` for a grant and a refund.
    pub resource: Option<String>,
    /// The fence of that opening.
    pub fence: Option<i64>,
    /// Whose it was.
    pub holder: Option<Uuid>,
    /// When, by the database's clock.
    pub at: OffsetDateTime,
}

/// A hold of the ledger, and how it stood when it was read.
#[derive(Debug, Clone, sqlx::FromRow)]
#[non_exhaustive]
pub struct HoldRow {
    /// Its number; holds are listed in this order.
    pub seq: i64,
    /// The request that made it; it is its name.
    pub request: Uuid,
    /// Whose credits are set aside.
    pub account: String,
    /// How many.
    pub amount: i64,
    /// What for.
    pub purpose: String,
    /// The resource under whose opening it was made.
    pub resource: String,
    /// The fence of that opening.
    pub fence: i64,
    /// Whose it was.
    pub holder: Uuid,
    /// When it was made, by the database's clock.
    pub at: OffsetDateTime,
    /// From when on it can no longer be captured.
    pub expires_at: OffsetDateTime,
    /// How it stands: its one end, or open.
    #[sqlx(try_from = "String")]
    pub state: HoldState,
    /// How many credits were captured, if they were.
    pub captured: Option<i64>,
    /// The number of its end, once that is written: a void or expired hold is dead before.
    pub resolved_seq: Option<i64>,
    /// When that was written.
    pub resolved_at: Option<OffsetDateTime>,
    /// The request that captured or released it.
    pub resolved_by: Option<Uuid>,
}

/// A write to the ledger that the guard refused, with what it would have done.
#[derive(Debug, Clone, sqlx::FromRow)]
#[non_exhaustive]
pub struct RefusedWrite {
    /// Its number; refused writes are listed in this order.
    pub seq: i64,
    /// When it was refused first, by the database's clock.
    pub first_at: OffsetDateTime,
    /// When it was refused last.
    pub last_at: OffsetDateTime,
    /// How often this very write was refused.
    pub attempts: i64,
    /// `stale`, `not open`, `conflict`, `closed`.
    pub reason: String,
    /// What was to be done: `charge`, `charge_once`, `hold`, `capture`, `release`.
    pub operation: String,
    /// The request id.
    pub request: Uuid,
    /// The account that it would have moved.
    pub account: String,
    /// By how many credits.
    pub amount: i64,
    /// What for.
    pub purpose: String,
    /// Of a capture or release: the request id of the hold.
    pub hold: Option<String>,
    /// The resource.
    pub resource: String,
    /// The fence that was shown.
    pub presented_fence: i64,
    /// Who showed it.
    pub presented_holder: Uuid,
    /// The mark that the guard saw, 0 if none.
    pub observed_fence: i64,
    /// Who had opened it.
    pub observed_holder: Option<Uuid>,
}

impl Ledger {
    /// How many credits were charged to an account for a purpose since a moment.
    ///
    /// A plain read. Whoever decides by it opens the resource first: without that, an older holder can
    /// still charge after you have read.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn charged(
        &self,
        account: &Account,
        purpose: &Purpose,
        since: OffsetDateTime,
    ) -> Result<i64, StoreError> {
        let query = sqlx::query_as("select credit.charged($1, $2, $3)")
            .bind(account.as_str())
            .bind(purpose.as_str())
            .bind(since);
        let (credits,) = self.store.call(query).await?;
        Ok(credits)
    }

    /// Holds the ledger's rows, and the guard's, against their rules; empty means that they hold. Of each rule the
    /// first offending row, in the order of numbers. It reads everything, in one snapshot, and blocks nobody.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn audit(&self) -> Result<Vec<Finding>, StoreError> {
        let query = "select rule, subject, seq, finding from credit.audit()";
        self.store.read(sqlx::query_as(query)).await
    }
}
