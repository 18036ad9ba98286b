//! Figures of a stretch of time: above all, how often a section outlived its lease.

use std::time::Duration;

use time::OffsetDateTime;

use crate::error::StoreError;
use crate::guard::{Guard, micros};

/// Of which time figures are asked for, and how they are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FiguresOf {
    /// From this moment on, that moment included, by the database's clock.
    pub since: OffsetDateTime,
    /// Before this moment.
    pub until: OffsetDateTime,
    /// How many parts of a resource's name are a prefix: of `user:7:dataset:42` one is `user:`. 0 to 16; 0 puts all
    /// resources together.
    pub depth: u8,
    /// How long a stretch is, a second at least; `None`: all in one.
    pub every: Option<Duration>,
    /// The most rows.
    pub limit: u16,
}

/// What happened in one stretch of time to the resources of one prefix.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
#[non_exhaustive]
pub struct FiguresRow {
    /// When the stretch begins.
    pub since: OffsetDateTime,
    /// What the names begin with.
    pub prefix: String,
    /// Openings.
    pub sections: i64,
    /// Of these, those that are neither closed nor replaced.
    pub still_open: i64,
    /// Of these, those that outlived their lease: closed after it was over, or found out by a refused write.
    pub overruns: i64,
    /// Openings that replaced one that was not closed.
    pub takeovers: i64,
    /// The part of its time that a section was held, 1.0 for all of it: half of them held no longer. Of the sections
    /// whose end is known; `None` where there is none.
    pub held_p50: Option<f64>,
    /// Nine of ten held no longer.
    pub held_p90: Option<f64>,
    /// 99 of 100 held no longer.
    pub held_p99: Option<f64>,
    /// The longest.
    pub held_worst: Option<f64>,
    /// How often writes of overtaken holders were refused, repeats included.
    pub stale_attempts: i64,
    /// Writes refused as stale, each counted once.
    pub stale: i64,
    /// Writes refused as not open.
    pub not_open: i64,
    /// Writes refused as in conflict.
    pub conflict: i64,
    /// Writes refused as closed.
    pub closed: i64,
}

impl Guard {
    /// How often sections outlived their lease, and what came of it. It reads all openings and refusals of that time,
    /// and blocks nobody.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer; [`StoreError::Misuse`] if depth, stretch or time are out of range.
    pub async fn figures(&self, of: FiguresOf) -> Result<Vec<FiguresRow>, StoreError> {
        let query = sqlx::query_as("select * from fence.stats($1, $2, $3, $4, $5)")
            .bind(of.since)
            .bind(of.until)
            .bind(i32::from(of.depth))
            .bind(of.every.map(micros))
            .bind(i32::from(of.limit));
        self.store().read(query).await
    }
}
