//! Waiting for a lease.

use std::time::{Duration, Instant};

use tokio::time::sleep;
use tracing::{field, instrument};

use crate::error::AcquireError;
use crate::place::Place;
use crate::{Attempt, Lease, LeaseLock, Ttl};

/// Redis counts in whole milliseconds: a look that is one too early would find the lease held.
const GRANULARITY: Duration = Duration::from_millis(1);

impl LeaseLock {
    /// Takes the lease, and waits for it for up to `budget` while others have it.
    ///
    /// First come, first served, across all clients of this Redis. Nothing is sent while waiting: a
    /// release wakes the next waiter, reserves the lease for it for 500 ms, and refuses it to all
    /// others meanwhile. The order is given up for a client that loses its connection or does not
    /// answer a wake within 500 ms (its waiters queue again, at the end), and for everybody when
    /// Redis loses its memory. A client that may not subscribe waits without order, and asks again
    /// only when the time is over that Redis told it last.
    ///
    /// `budget` has nothing to do with the TTL, which starts when the lease is granted. At its end
    /// one last request asks for the lease and leaves the queue; so the answer comes up to a round
    /// trip later.
    ///
    /// Dropping this future gives the attempt up: it leaves the queue, passes on a wake that came
    /// meanwhile, and gives back what was granted meanwhile, in the background. Make a new attempt
    /// then; the same one may be freed under you.
    ///
    /// # Errors
    /// [`AcquireError`]. At the end of the budget [`AcquireError::Held`] or
    /// [`AcquireError::Reserved`], with the milliseconds that are left; earlier
    /// [`AcquireError::QueueFull`], and the errors of [`try_acquire`](LeaseLock::try_acquire).
    /// After [`AcquireError::Unknown`] the same attempt may be sent again.
    #[instrument(name = "lease_lock.acquire_within", skip_all, fields(
        fence.resource = %attempt.resource(),
        fence.holder = %attempt.holder(),
        fence.floor = attempt.floor().map(|floor| floor.get()),
        fence.number = field::Empty,
        lease.ttl_ms = attempt.ttl().as_millis(),
        lease.budget_ms = budget.as_millis(),
    ))]
    pub async fn acquire_within(
        &self,
        attempt: &Attempt,
        budget: Duration,
    ) -> Result<Lease, AcquireError> {
        let deadline = Instant::now() + budget.min(Ttl::MAX.as_duration());
        if !self.wakes().is_listening(attempt.resource()) {
            // Most leases are free. Only the first contention makes this client listen.
            match self.try_acquire(attempt).await {
                Err(error) if error.is_contention() && !budget.is_zero() => {}
                answer => return answer,
            }
        }
        // Listening comes before the attempt that queues: a wake in between would be lost.
        match self
            .listen(attempt.resource())
            .await
            .map_err(AcquireError::Unknown)?
        {
            true => Place::new(self, attempt).wait(deadline).await,
            false => self.acquire_by_timer(attempt, deadline).await,
        }
    }

    /// Without wakes: asks when the time is over that Redis told last, and at the deadline.
    async fn acquire_by_timer(
        &self,
        attempt: &Attempt,
        deadline: Instant,
    ) -> Result<Lease, AcquireError> {
        loop {
            let (remaining, error) = match self.try_acquire(attempt).await {
                Err(error @ AcquireError::Held { remaining, .. }) => (remaining, error),
                Err(error @ AcquireError::Reserved { remaining, .. }) => (remaining, error),
                answer => return answer,
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(error);
            }
            sleep((remaining + GRANULARITY).min(left)).await;
        }
    }
}
