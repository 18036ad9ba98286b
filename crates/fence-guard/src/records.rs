//! What the guard has recorded: openings, refusals, and what an audit finds.

use sqlx::types::JsonValue;
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

use crate::error::StoreError;
use crate::guard::Guard;
use crate::page::{Filter, Page};

/// An opening of a resource, with what it replaced.
#[derive(Debug, Clone, sqlx::FromRow)]
#[non_exhaustive]
pub struct OpeningRow {
    /// Its number in the one sequence of openings, closes and guarded entries.
    pub seq: i64,
    /// Which resource.
    pub resource: String,
    /// Under which fence.
    pub fence: i64,
    /// By whom.
    pub holder: Uuid,
    /// When, by the database's clock.
    pub at: OffsetDateTime,
    /// Until when the holder meant to hold.
    pub valid_until: OffsetDateTime,
    /// Whether it replaced an opening that was not closed.
    pub takeover: bool,
    /// The fence that it replaced, if any.
    pub previous_fence: Option<i64>,
    /// Whose that was.
    pub previous_holder: Option<Uuid>,
    /// Whether the guard minted its fence ([`Guard::open_next`]).
    pub minted: bool,
    /// The number of its close; `None` while it is unclosed, for ever where it was taken over, and where the opening after
    /// it, which tells, was pruned.
    pub closed_seq: Option<i64>,
    /// When it was closed.
    pub closed_at: Option<OffsetDateTime>,
    /// What was left of the lease then, by its holder's clock, in ms; below 0 it had outlived it.
    pub closed_lease_left_ms: Option<i64>,
    /// The fence of the opening that came after it; unclosed, it was taken over by that.
    pub next_fence: Option<i64>,
    /// Whose that is.
    pub next_holder: Option<Uuid>,
    /// When that opened.
    pub next_at: Option<OffsetDateTime>,
    /// When its mark was folded.
    pub folded_at: Option<OffsetDateTime>,
}

/// The durable row of a refused write.
#[derive(Debug, Clone, sqlx::FromRow)]
#[non_exhaustive]
pub struct RefusalRow {
    /// Its number; rows are listed in this order.
    pub seq: i64,
    /// Which resource.
    pub resource: String,
    /// The fence that was shown.
    pub presented_fence: i64,
    /// Who showed it.
    pub presented_holder: Uuid,
    /// What was to be done.
    pub operation: String,
    /// The request id; nil where the operation has none.
    pub request: Uuid,
    /// Why not: `stale`, `not open`, `conflict`, `closed`.
    pub reason: String,
    /// The mark that the guard saw the first time, 0 if none.
    pub observed_fence: i64,
    /// Who had opened it.
    pub observed_holder: Option<Uuid>,
    /// What would have been written.
    pub write: JsonValue,
    /// How often this very write was refused.
    pub attempts: i64,
    /// When it was refused first, by the database's clock.
    pub first_at: OffsetDateTime,
    /// When it was refused last.
    pub last_at: OffsetDateTime,
}

/// A rule that the rows break.
#[derive(Debug, Clone, sqlx::FromRow)]
#[non_exhaustive]
pub struct Finding {
    /// Which rule: `S1`, `S3` …
    pub rule: String,
    /// What it is about: a resource, or what else the auditor keeps.
    pub subject: String,
    /// The row's number, where there is one.
    pub seq: Option<i64>,
    /// What is wrong, with numbers.
    pub finding: String,
}

impl OpeningRow {
    /// Whether it was closed after the lease (by its holder's clock) or its time (by the database's) was over. Of one
    /// that was taken over it is not known here: its refused writes tell.
    pub fn is_closed_late(&self) -> bool {
        let after_its_time = self.closed_at.is_some_and(|at| at > self.valid_until);
        self.closed_lease_left_ms.is_some_and(|left| left < 0) || after_its_time
    }

    /// Until when it was the newest of its resource and unclosed; `None` while it still is, and where that was pruned.
    pub fn ended_at(&self) -> Option<OffsetDateTime> {
        self.closed_at.or(self.next_at).or(self.folded_at)
    }
}

impl Guard {
    /// Openings, each with how it ended, page by page: of a resource, by a holder, since a moment, or all.
    ///
    /// Of one resource, pages that follow each other lack nothing. Of several they can: a transaction that has drawn its
    /// number, and commits later, is below the end of a page that was read meanwhile ([`horizon`](Guard::horizon)).
    /// A filter by reason is for refusals alone and is left out here.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn openings(
        &self,
        filter: impl Into<Filter>,
        page: impl Into<Page>,
        limit: u16,
    ) -> Result<Vec<OpeningRow>, StoreError> {
        let (filter, page) = (filter.into(), page.into());
        let query = sqlx::query_as("select * from fence.openings($1, $2, $3, $4, $5, $6)")
            .bind(filter.resource())
            .bind(page.after())
            .bind(i32::from(limit))
            .bind(filter.holder())
            .bind(filter.since)
            .bind(page.before());
        self.store().read(query).await
    }

    /// The refused writes, page by page: of a resource, shown by a holder, for a reason, first refused since a moment, or
    /// all; pages as [`openings`](Guard::openings), save that no lock puts those of one resource in the order of their commits.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn refusals(
        &self,
        filter: impl Into<Filter>,
        page: impl Into<Page>,
        limit: u16,
    ) -> Result<Vec<RefusalRow>, StoreError> {
        let (filter, page) = (filter.into(), page.into());
        let query = sqlx::query_as("select * from fence.refusals($1, $2, $3, $4, $5, $6, $7)")
            .bind(filter.resource())
            .bind(page.after())
            .bind(i32::from(limit))
            .bind(filter.holder())
            .bind(filter.reason())
            .bind(filter.since)
            .bind(page.before());
        self.store().read(query).await
    }

    /// Holds the guard's rows against its rules; empty means that they hold. It blocks nobody.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn audit(&self) -> Result<Vec<Finding>, StoreError> {
        let query = "select rule, resource as subject, seq, finding from fence.audit()";
        self.store().read(sqlx::query_as(query)).await
    }
}
