//! The guard: open and close; `begin` is between them.

use std::time::Duration;

use fence::{Fence, Floor, Holder, Permit, Reason, Refusal, Resource};
use sqlx::Postgres;
use sqlx::postgres::types::PgInterval;
use sqlx::postgres::{PgArguments, PgPool, PgPoolOptions};
use sqlx::query::QueryAs;
use sqlx::types::time::OffsetDateTime;
use tracing::instrument;
use uuid::Uuid;

use crate::blocked::explain;
use crate::error::{Error, StoreError};
use crate::open_permit::OpenPermit;
use crate::store::{GuardOptions, Store};

/// Refuses every write of a holder that has been overtaken. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Guard {
    store: Store,
}

/// How [`Guard::close`] ended an opening.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Closed {
    /// It is closed, by this call or by an earlier one.
    Closed,
    /// There was nothing left to close: the holder had been overtaken, or had never opened.
    Overtaken(Refusal),
}

impl Guard {
    /// Connects to Postgres.
    ///
    /// The pool does not ask a connection whether it is alive before each use: that would be a second
    /// round trip for every charge. A dead one shows itself as [`StoreError::Unknown`], which is safe to
    /// send again.
    ///
    /// # Errors
    /// [`StoreError`] if the URL is no Postgres URL or nothing answers there.
    pub async fn connect(url: &str) -> Result<Guard, StoreError> {
        let pool = PgPoolOptions::new()
            .test_before_acquire(false)
            .connect(url)
            .await?;
        Ok(Guard::new(pool))
    }

    /// A guard on a pool that you have, whose connections reach Postgres directly, or through a pooler
    /// in session mode.
    pub fn new(pool: PgPool) -> Guard {
        Guard::with_options(pool, GuardOptions::default())
    }

    /// A guard on a pool that you have, for a transaction pooler or with another bound on waiting.
    pub fn with_options(pool: PgPool, options: GuardOptions) -> Guard {
        Guard {
            store: Store::new(pool, options),
        }
    }

    /// The pool that the guard speaks through.
    pub fn pool(&self) -> &PgPool {
        self.store.pool()
    }

    /// The way to Postgres, for a crate that puts its own tables behind this guard.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Raises the mark to the permit's fence and waits out every older write in flight.
    ///
    /// Call it before the first read that a decision rests on. After it has returned, no write under a
    /// lower fence commits any more, also none that was already past its check. Sending it again with
    /// the same permit is safe. The idea is that of BookKeeper's ledger fencing and of HDFS' quorum
    /// journal (`newEpoch`).
    ///
    /// `valid_for` says how long the opener means to hold; it serves liveness and figures, never safety.
    ///
    /// # Errors
    /// [`Error::Refused`] when the permit is stale, in conflict or closed; [`Error::Blocked`] when the
    /// writers in flight did not end in time; [`Error::Busy`] behind an opening that the guard minted;
    /// [`Error::Store`] otherwise.
    #[instrument(name = "fence_guard.open", skip_all, err(level = "debug"), fields(
        fence.resource = %permit.resource(), fence.presented = permit.fence().get()))]
    pub async fn open(&self, permit: &Permit, valid_for: Duration) -> Result<OpenPermit, Error> {
        let query = || {
            sqlx::query_as("select * from fence.open($1, $2, $3, $4, $5, $6)")
                .bind(permit.resource().as_str())
                .bind(permit.fence().as_i64())
                .bind(permit.holder().as_uuid())
                .bind(validity(valid_for))
                .bind(micros(self.store.options.wait))
                .bind("open")
        };
        let row = self.call_opening(permit.resource(), query).await?;
        row.into_outcome(permit)
    }

    /// Opens a resource without a lease, under a fence that the guard mints itself: the mark plus one.
    ///
    /// For a service that must go on while Redis is down. It takes nothing over that another holder
    /// still means to hold, and an opening made here is not cut short by a lease that is acquired
    /// after it. Sending it again as the same holder is safe: it finds its own opening, or hears that it was
    /// overtaken. One holder makes one opening, for as long as that is kept
    /// ([`Retention::prune_openings`](crate::Retention::prune_openings)).
    ///
    /// `valid_for` is how long others are kept out unless it is closed before, by the database's clock.
    ///
    /// # Errors
    /// [`Error::Busy`] while another's opening is unclosed and valid; [`Error::Refused`] when this holder
    /// has closed its opening, or was overtaken; [`Error::Blocked`] and [`Error::Store`] as for [`open`](Guard::open).
    #[instrument(name = "fence_guard.open_next", skip_all, err(level = "debug"), fields(
        fence.resource = %resource, fence.holder = %holder))]
    pub async fn open_next(
        &self,
        resource: &Resource,
        holder: Holder,
        valid_for: Duration,
    ) -> Result<OpenPermit, Error> {
        let query = || {
            sqlx::query_as("select * from fence.open_next($1, $2, $3, $4, $5)")
                .bind(resource.as_str())
                .bind(holder.as_uuid())
                .bind(validity(valid_for))
                .bind(micros(self.store.options.wait))
                .bind("open_next")
        };
        let row = self.call_opening(resource, query).await?;
        let fence = row.mark.and_then(|mark| Fence::try_from(mark).ok());
        let fence = fence.ok_or_else(|| StoreError::Foreign {
            what: format!("the mark {:?}", row.mark),
        })?;
        row.into_outcome(&Permit::new(resource.clone(), fence, holder))
    }

    /// Ends an opening: later writes and openings under it are refused as *closed*.
    ///
    /// `lease_left_ms` is what was left of the lease by the holder's own clock, below zero if the section
    /// outlived it. Close first, then release the lease.
    ///
    /// # Errors
    /// [`Error::Blocked`] when own writes in flight did not end in time, [`Error::Store`] if Postgres
    /// gives no outcome. Closing again is safe.
    #[instrument(name = "fence_guard.close", skip_all, err(level = "debug"), fields(
        fence.resource = %open.permit.resource(), fence.presented = open.permit.fence().get(), lease_left_ms))]
    pub async fn close(&self, open: &OpenPermit, lease_left_ms: i64) -> Result<Closed, Error> {
        let permit = &open.permit;
        let query = sqlx::query_as(
            "select outcome, mark, mark_holder from fence.close($1, $2, $3, $4, $5, $6)",
        )
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .bind(lease_left_ms)
        .bind(micros(self.store.options.wait))
        .bind("close");
        let answer = self.store.call(query).await;
        let (outcome, mark, holder): (String, Option<i64>, Option<Uuid>) =
            explain(answer, &self.store, permit.resource()).await?;
        match outcome.as_str() {
            "closed" => Ok(Closed::Closed),
            other => Ok(Closed::Overtaken(refusal(permit, other, mark, holder)?)),
        }
    }

    /// The mark of a resource: the floor that its next fence must exceed, 0 if it was never opened.
    ///
    /// Ask it when Redis has lost the counter of the resource.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn mark(&self, resource: &Resource) -> Result<Floor, StoreError> {
        let query = sqlx::query_as("select fence.mark($1, $2)")
            .bind(resource.as_str())
            .bind("mark");
        let (mark,): (i64,) = self.store.call(query).await?;
        floor(Some(mark))
    }

    /// Calls an opening, and once more where the resource was folded while it waited. Nothing has changed then, and it
    /// is judged anew, by the floor. Whoever opens in a transaction of its own has to begin that again instead.
    async fn call_opening<'q>(
        &self,
        resource: &Resource,
        query: impl Fn() -> QueryAs<'q, Postgres, OpenRow, PgArguments>,
    ) -> Result<OpenRow, Error> {
        const FOLDED_MEANWHILE: &str = "40001";
        let mut answer = self.store.call(query()).await;
        if matches!(&answer, Err(error) if error.has_failed_with(FOLDED_MEANWHILE)) {
            tracing::debug!(fence.resource = %resource, "folded while its opening waited, it opens again");
            answer = self.store.call(query()).await;
        }
        explain(answer, &self.store, resource).await
    }
}

#[derive(sqlx::FromRow)]
struct OpenRow {
    outcome: String,
    mark: Option<i64>,
    mark_holder: Option<Uuid>,
    seq: Option<i64>,
    valid_until: Option<OffsetDateTime>,
    takeover: Option<bool>,
}

impl OpenRow {
    fn into_outcome(self, permit: &Permit) -> Result<OpenPermit, Error> {
        match (self.outcome.as_str(), self.seq, self.valid_until) {
            ("opened" | "already open", Some(seq), Some(valid_until)) => Ok(OpenPermit {
                permit: permit.clone(),
                seq,
                valid_until,
                takeover: self.takeover.unwrap_or(false),
            }),
            ("busy", _, Some(until)) => Err(Error::Busy { until }),
            (word, _, _) => Err(refusal(permit, word, self.mark, self.mark_holder)?.into()),
        }
    }
}

/// Reads the guard's word and numbers.
pub(crate) fn refusal(
    permit: &Permit,
    word: &str,
    mark: Option<i64>,
    holder: Option<Uuid>,
) -> Result<Refusal, StoreError> {
    let reason: Reason = word.parse().map_err(|()| StoreError::Foreign {
        what: format!("{word:?}"),
    })?;
    Ok(Refusal::new(
        permit.clone(),
        reason,
        floor(mark)?,
        holder.map(fence::Holder::from_uuid),
    ))
}

fn floor(mark: Option<i64>) -> Result<Floor, StoreError> {
    let mark = mark.unwrap_or(0);
    Floor::try_from(mark).map_err(|_| StoreError::Foreign {
        what: format!("the mark {mark}"),
    })
}

/// How long an opening or a transaction is meant to last. It serves liveness and figures only, so it is
/// clamped to what the guard takes, 1 ms to 366 days, rather than refused: a lease that has just run out
/// is the guard's to judge.
pub(crate) fn validity(valid_for: Duration) -> PgInterval {
    let (shortest, longest) = (Duration::from_millis(1), Duration::from_secs(366 * 86_400));
    micros(valid_for.clamp(shortest, longest))
}

/// Postgres counts intervals in whole microseconds; a rest below one is rounded up.
pub(crate) fn micros(duration: Duration) -> PgInterval {
    let microseconds = duration
        .as_nanos()
        .div_ceil(1000)
        .try_into()
        .unwrap_or(i64::MAX);
    PgInterval {
        months: 0,
        days: 0,
        microseconds,
    }
}
