//! Several resources at once.

use std::time::{Duration, Instant};

use fence::Resource;
use tracing::instrument;

use crate::error::AcquireError;
use crate::renewing::renewing;
use crate::{Attempt, Lease, LeaseLock, Ttl};

/// Why the leases of several resources were not taken. None of them is held then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcquireAllError {
    /// One resource was named twice; nothing was asked for. Its second attempt would be refused by
    /// its first.
    #[error("{resource} is named twice: name each resource once")]
    Duplicate {
        /// Which one.
        resource: Resource,
    },
    /// One of them was not to be had. Those that were taken before it were given back.
    #[error(
        "none of the leases is held, because one was not to be had; {given_back} were given back"
    )]
    NotAcquired {
        /// Why, and which one.
        #[source]
        source: AcquireError,
        /// How many had been taken.
        given_back: usize,
    },
}

impl LeaseLock {
    /// Takes all of the leases or none, and waits for up to `budget` in all; zero does not wait.
    ///
    /// They are taken one after another in the order of their names, so that two callers that want
    /// the same ones never wait for each other in a circle; they may lie in different slots of a
    /// Cluster. They are returned in the order of `attempts`. What has used up half of its TTL while
    /// others are waited for is renewed.
    ///
    /// Dropping this future gives everything back in the background.
    ///
    /// # Errors
    /// [`AcquireAllError`]. What was taken is given back before it is returned, and so is the
    /// attempt whose fate is unknown; what could not be given back ends with its TTL.
    #[instrument(name = "lease_lock.acquire_all", skip_all, fields(
        lease.count = attempts.len(),
        lease.budget_ms = budget.as_millis(),
    ))]
    pub async fn acquire_all(
        &self,
        attempts: &[Attempt],
        budget: Duration,
    ) -> Result<Vec<Lease>, AcquireAllError> {
        let order = canonical(attempts)?;
        let deadline = Instant::now() + budget.min(Ttl::MAX.as_duration());
        let mut taken: Vec<(usize, Lease)> = Vec::with_capacity(attempts.len());
        for &index in &order {
            let left = deadline.saturating_duration_since(Instant::now());
            let acquiring = self.acquire_within(&attempts[index], left);
            let mut leases: Vec<_> = taken.iter_mut().map(|(_, lease)| lease).collect();
            match renewing(&mut leases, None, acquiring).await {
                Ok(lease) => taken.push((index, lease)),
                Err(error) => return Err(self.give_up(taken, &attempts[index], error).await),
            }
        }
        let over = |(_, lease): &&(usize, Lease)| lease.permit().is_err();
        if let Some((index, lease)) = taken.iter().find(over) {
            let error = AcquireError::TooLate {
                resource: lease.resource().clone(),
                fence: lease.fence(),
            };
            let attempt = &attempts[*index];
            return Err(self.give_up(taken, attempt, error).await);
        }
        taken.sort_unstable_by_key(|(index, _)| *index);
        Ok(taken.into_iter().map(|(_, lease)| lease).collect())
    }

    /// Gives back what was taken, the last one first. A release whose reply is lost says so in its
    /// own span and is repeated in the background.
    async fn give_up(
        &self,
        taken: Vec<(usize, Lease)>,
        failed: &Attempt,
        source: AcquireError,
    ) -> AcquireAllError {
        let given_back = taken.len();
        if matches!(source, AcquireError::Unknown(_)) {
            let _ = self.abandon(failed.clone()).await;
        }
        for (_, lease) in taken.into_iter().rev() {
            let _ = lease.release().await;
        }
        AcquireAllError::NotAcquired { source, given_back }
    }
}

/// The order in which everybody takes them: by name, byte by byte.
fn canonical(attempts: &[Attempt]) -> Result<Vec<usize>, AcquireAllError> {
    let mut order: Vec<_> = (0..attempts.len()).collect();
    order.sort_unstable_by_key(|&index| attempts[index].resource());
    for pair in order.windows(2) {
        let resource = attempts[pair[0]].resource();
        if resource == attempts[pair[1]].resource() {
            let resource = resource.clone();
            return Err(AcquireAllError::Duplicate { resource });
        }
    }
    Ok(order)
}
