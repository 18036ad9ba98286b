//! The first step: a lease, also where Redis has lost its counters or one reply.

use fence::Resource;
use lease_lock::{AcquireError, Attempt, Lease, LeaseLock};
use tokio::runtime::Handle;

use crate::heal::Healing;
use crate::{EnterError, EnterOptions, Sections};

/// An attempt that nobody else knows of: when it ends without an answer, it is given up in the
/// background, so that a lease which nobody holds does not keep others out for its whole TTL.
struct Pending {
    locks: LeaseLock,
    attempt: Option<Attempt>,
    runtime: Handle,
}

impl Sections {
    /// Takes a lease by a new holder.
    pub(crate) async fn acquire_new(
        &self,
        resource: &Resource,
        options: &EnterOptions,
        healing: &mut Healing,
    ) -> Result<Lease, EnterError> {
        let attempt = Attempt::new(resource.clone(), options.ttl);
        let pending = Pending::new(&self.locks, attempt.clone());
        let answer = self.acquire(attempt, healing).await;
        if !matches!(answer, Err(EnterError::Redis(_))) {
            pending.answered();
        }
        answer
    }

    /// Takes a lease. A missing counter goes on above the guard's mark, once; an attempt without an
    /// answer is sent again, once: it finds its own lease.
    pub(crate) async fn acquire(
        &self,
        mut attempt: Attempt,
        healing: &mut Healing,
    ) -> Result<Lease, EnterError> {
        let mut sent_again = false;
        loop {
            match self.locks.try_acquire(&attempt).await {
                Ok(lease) => return Ok(lease),
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
