//! Tidying up: what an operator lets go of, and when.

use std::time::Duration;

use sqlx::postgres::PgPool;
use tracing::instrument;

use crate::error::StoreError;
use crate::guard::{Guard, micros};
use crate::store::{GuardOptions, Store};

/// The jobs that keep the guard's tables bounded. Cloning is cheap.
///
/// They are for a role of their own, which `fence.grant_operator` lets call them (or the schema's owner), not
/// for the application: it could take away what tells of its own refused writes. Each method goes once over
/// everything, in batches of one bounded transaction each; drop it at any time, and the next call goes on where
/// it was. Run each about once an hour, from one place or from many: they take turns. (A scheduler that calls the SQL
/// itself sends one batch a call, and does so once a minute: in an hour that is a pass over 60,000 rows.)
#[derive(Debug, Clone)]
pub struct Retention {
    store: Store,
    batch: u16,
}

impl Retention {
    /// Rows that one transaction looks at, unless [`with_batch`](Retention::with_batch) says otherwise.
    pub const DEFAULT_BATCH: u16 = 1000;
    /// The most rows that one transaction may look at.
    pub const MAX_BATCH: u16 = 10_000;

    /// Through the operator's pool, whose connections reach Postgres directly.
    pub fn new(pool: PgPool) -> Retention {
        Retention::through(Store::new(pool, GuardOptions::default()))
    }

    /// The way that a guard reaches Postgres. Its role must be an operator's.
    pub fn on(guard: &Guard) -> Retention {
        Retention::through(guard.store().clone())
    }

    fn through(store: Store) -> Retention {
        Retention {
            store,
            batch: Retention::DEFAULT_BATCH,
        }
    }

    /// With transactions of so many rows, clamped to 1 ..= [`MAX_BATCH`](Retention::MAX_BATCH).
    pub fn with_batch(self, rows: u16) -> Retention {
        Retention {
            batch: rows.clamp(1, Retention::MAX_BATCH),
            ..self
        }
    }

    /// Deletes refusals that were last repeated longer ago than this (0 to 100 years), and says how many.
    ///
    /// # Errors
    /// [`StoreError`]; what was deleted before it stays deleted, and calling again is safe.
    #[instrument(name = "fence_guard.prune_refusals", skip_all, err(level = "debug"))]
    pub async fn prune_refusals(&self, older_than: Duration) -> Result<u64, StoreError> {
        self.pass(
            "select gone, through from fence.prune_refusals($1, $2, $3)",
            "prune_refusals",
            older_than,
        )
        .await
    }

    /// Deletes openings that were replaced, or whose mark was folded, longer ago than this (0 to 100 years),
    /// and says how many.
    ///
    /// The newest opening of a resource that has a mark always stays, and so does what a keeper names
    /// (`fence.keep_openings_by`). An audit reaches as far back as the openings do.
    ///
    /// # Errors
    /// As [`prune_refusals`](Retention::prune_refusals); also when a keeper is gone: nothing is deleted then.
    #[instrument(name = "fence_guard.prune_openings", skip_all, err(level = "debug"))]
    pub async fn prune_openings(&self, older_than: Duration) -> Result<u64, StoreError> {
        self.pass(
            "select gone, through from fence.prune_openings($1, $2, $3)",
            "prune_openings",
            older_than,
        )
        .await
    }

    /// Takes away the marks of resources that were closed longer ago than this (0 to 100 years), lets the floor
    /// stand for them, and says how many.
    ///
    /// It refuses nobody who would not have been refused, but whoever holds a lease under a number below the
    /// new floor, and has not opened yet, is told *stale*, and has to mint above [`Guard::mark`]. So fold what
    /// was closed days ago, not seconds.
    ///
    /// # Errors
    /// As [`prune_refusals`](Retention::prune_refusals).
    #[instrument(name = "fence_guard.fold", skip_all, err(level = "debug"))]
    pub async fn fold(&self, older_than: Duration) -> Result<u64, StoreError> {
        self.pass(
            "select gone, through from fence.fold($1, $2, $3)",
            "fold",
            older_than,
        )
        .await
    }

    /// Calls a job until it has come to the end.
    async fn pass(
        &self,
        call: &'static str,
        job: &'static str,
        older_than: Duration,
    ) -> Result<u64, StoreError> {
        let mut total = 0;
        loop {
            let query = sqlx::query_as(call)
                .bind(micros(older_than))
                .bind(i32::from(self.batch))
                .bind(job);
            let (gone, through): (i64, bool) = self.store.call(query).await?;
            total += gone.unsigned_abs();
            if through {
                tracing::info!(fence.job = job, fence.rows_gone = total, "tidied up");
                return Ok(total);
            }
        }
    }
}
