//! What the ledger has recorded: entries, refused writes, and what an audit finds.

use fence_guard::{Finding, StoreError};
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

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
    /// `grant` or `charge`.
    pub operation: String,
    /// Credits that entered the account; below zero for those that left it.
    pub change: i64,
    /// The account's balance after it.
    pub balance_after: i64,
    /// What for.
    pub purpose: String,
    /// The resource under whose opening it was written; `None` for a grant.
    pub resource: Option<String>,
    /// The fence of that opening.
    pub fence: Option<i64>,
    /// Whose it was.
    pub holder: Option<Uuid>,
    /// When, by the database's clock.
    pub at: OffsetDateTime,
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
    /// What was to be done: `charge`.
    pub operation: String,
    /// The request id.
    pub request: Uuid,
    /// The account that it would have moved.
    pub account: String,
    /// By how many credits.
    pub amount: i64,
    /// What for.
    pub purpose: String,
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
    /// The entries of an account in their order, after the one numbered `after` (0 for all), at most
    /// `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn entries(
        &self,
        account: &Account,
        after: i64,
        limit: u16,
    ) -> Result<Vec<EntryRow>, StoreError> {
        let query = sqlx::query_as("select * from credit.entries($1, $2, $3)")
            .bind(account.as_str())
            .bind(after)
            .bind(i32::from(limit));
        self.store.read(query).await
    }

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

    /// The refused writes in their order, after the one numbered `after` (0 for all), at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn refused(&self, after: i64, limit: u16) -> Result<Vec<RefusedWrite>, StoreError> {
        let query = sqlx::query_as("select * from credit.refused($1, $2)")
            .bind(after)
            .bind(i32::from(limit));
        self.store.read(query).await
    }

    /// Holds the ledger's rows, and the guard's, against their rules; empty means that they hold. It
    /// blocks nobody.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn audit(&self) -> Result<Vec<Finding>, StoreError> {
        let query = "select rule, subject, seq, finding from credit.audit()";
        self.store.read(sqlx::query_as(query)).await
    }
}
