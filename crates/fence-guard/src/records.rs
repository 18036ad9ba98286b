//! What the guard has recorded: openings, refusals, and what an audit finds.

use fence::Resource;
use sqlx::types::JsonValue;
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

use crate::error::StoreError;
use crate::guard::Guard;

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

impl Guard {
    /// The openings of a resource in their order, after the one numbered `after` (0 for all), at most
    /// `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn openings(
        &self,
        resource: &Resource,
        after: i64,
        limit: u16,
    ) -> Result<Vec<OpeningRow>, StoreError> {
        let query = sqlx::query_as("select * from fence.openings($1, $2, $3)")
            .bind(resource.as_str())
            .bind(after)
            .bind(i32::from(limit));
        self.store().read(query).await
    }

    /// The refused writes of one resource, or of all, in their order, after the one numbered `after`
    /// (0 for all), at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn refusals(
        &self,
        resource: Option<&Resource>,
        after: i64,
        limit: u16,
    ) -> Result<Vec<RefusalRow>, StoreError> {
        let query = sqlx::query_as("select * from fence.refusals($1, $2, $3)")
            .bind(resource.map(Resource::as_str))
            .bind(after)
            .bind(i32::from(limit));
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
