//! The first step: a lease, also where Redis has lost its counters or one reply.

use std::time::Instant;

use lease_lock::{AcquireError, Attempt, Lease, LeaseLock};
use tokio::runtime::Handle;

use crate::heal::Healing;
use crate::{EnterError, Sections};

/// A lease, on its way into a section.
pub(crate) struct Acquired {
    pub(crate) lease: Lease,
    /// When its grant was known. The wait before that is nobody's hold.
    pub(crate) since: Instant,
    pub(crate) healing: Healing,
}

/// An attempt that nobody else knows of: when it ends without an answer, it is given up in the
/// background, so that a lease which nobody holds does not keep others out for its whole TTL.
struct Pending {
    locks: LeaseLock,
    attempt: Option<Attempt>,
    runtime: Handle,
}

impl Sections {
    /// Takes a lease by a new holder, and waits for it until the deadline.
    pub(crate) async fn acquire_new(
        &self,
        attempt: Attempt,
        deadline: Instant,
    ) -> Result<Acquired, EnterError> {
        let pending = Pending::new(&self.locks, attempt.clone());
        let answer = self.acquire(attempt, deadline).await;
        if !matches!(answer, Err(EnterError::Redis(_))) {
            pending.answered();
        }
        answer
    }

    /// Takes a lease, and waits for it until the deadline; the holder of one that waits must be new,
    /// because `lease-lock` frees what a dropped wait was granted. A missing counter goes on above the
    /// guard's mark, once; an attempt without an answer is sent again, once: it finds its own lease.
    pub(crate) async fn acquire(
        &self,
        mut attempt: Attempt,
        deadline: Instant,
    ) -> Result<Acquired, EnterError> {
        let mut healing = Healing::default();
        let mut sent_again = false;
        loop {
            match self.try_until(&attempt, deadline).await {
                Ok(lease) => {
                    let since = Instant::now();
                    return Ok(Acquired {
                        lease,
                        since,
                        healing,
                    });
                }
                Err(AcquireError::CounterMissing { .. }) if attempt.floor().is_none() => {
                    let mark = self.guard.mark(attempt.resource()).await?;
                    healing.counter_was_missing(mark);
                    attempt = attempt.with_floor(mark);
                }
                Err(AcquireError::Unknown(_)) if !sent_again => {
                    self.figures.unknown("redis");
                    sent_again = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Asks once where no time is left.
    async fn try_until(&self, attempt: &Attempt, deadline: Instant) -> Result<Lease, AcquireError> {
        let left = deadline.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => self.locks.try_acquire(attempt).await,
            false => self.locks.acquire_within(attempt, left).await,
        }
    }
}

impl Pending {
    fn new(locks: &LeaseLock, attempt: Attempt) -> Pending {
        Pending {
            locks: locks.clone(),
            attempt: Some(attempt),
            runtime: Handle::current(),
        }
    }

    /// Redis has answered: there is a lease, which gives itself back, or there is none.
    fn answered(mut self) {
        self.attempt = None;
    }
}

impl Drop for Pending {
    /// A runtime that has shut down takes the task and drops it; it does not panic.
    fn drop(&mut self) {
        let Some(attempt) = self.attempt.take() else {
            return;
        };
        let locks = self.locks.clone();
        self.runtime.spawn(async move {
            match locks.abandon(attempt).await {
                Ok(released) => tracing::debug!(?released, "gave an unanswered attempt up"),
                // Nobody else can see this error, so it is logged here.
                Err(error) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "could not give an unanswered attempt up, it ends with its ttl"
                ),
            }
        });
    }
}
