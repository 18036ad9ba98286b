//! Acquire, open, heal.

use std::time::{Duration, Instant};

use fence::{Permit, Resource};
use fence_guard::{Error, OpenPermit, StoreError};
use lease_lock::{Attempt, Lease, renewing};
use tracing::{Span, field, instrument};

use crate::acquire::Acquired;
use crate::heal::Healing;
use crate::hold::Hold;
use crate::section::Entered;
use crate::{EnterError, EnterOptions, Lost, Section, Sections};

impl Sections {
    /// Takes the lease and opens the resource. When it returns, no write of an earlier holder is in
    /// flight, and none that comes later is let in: read, decide and write under it.
    ///
    /// It waits for another holder's lease only as long as [`EnterOptions::budget`] says; by default it
    /// does not. Two round trips; where Redis has lost its numbers, two more: the guard's mark is asked
    /// for, or a higher number minted.
    ///
    /// When this future is dropped, the lease is given back in the background.
    ///
    /// # Errors
    /// [`EnterError`]. Without Redis nothing is entered: that is *fail closed*. The other two ways are
    /// [`enter_from_guard`](Sections::enter_from_guard) and [`run_unfenced`](Sections::run_unfenced).
    #[instrument(name = "fenced_section.enter", skip_all, err(level = "debug"), fields(
        fence.resource = %resource,
        fence.number = field::Empty,
        lease.ttl_ms = options.ttl.as_millis(),
        lease.budget_ms = options.budget.as_millis(),
    ))]
    pub async fn enter(
        &self,
        resource: &Resource,
        options: &EnterOptions,
    ) -> Result<Section, EnterError> {
        let attempt = Attempt::new(resource.clone(), options.ttl);
        let acquired = self.acquire_new(attempt, options.deadline()).await?;
        self.open_lease(acquired, options, Entered::Lease).await
    }

    /// Opens under a lease; gives it back where that fails for good.
    pub(crate) async fn open_lease(
        &self,
        acquired: Acquired,
        options: &EnterOptions,
        by: Entered,
    ) -> Result<Section, EnterError> {
        let Acquired {
            mut lease,
            since,
            mut healing,
        } = acquired;
        let end = options.end_of_hold();
        let open = match self.open_healing(&mut lease, end, &mut healing).await {
            Ok(open) => open,
            Err(error) => {
                if let EnterError::Refused(refusal) = &error {
                    self.figures.refused(refusal.reason());
                }
                // Its own errors are logged by the lease; the reason why nothing was opened matters more.
                let _ = lease.release().await;
                return Err(error);
            }
        };
        healing.done(self, lease.resource());
        Span::current().record("fence.number", open.permit().fence().get());
        let section = Section::new(self, open, Hold::until(lease, end), since, options, by);
        match section.open() {
            Ok(_) => Ok(section),
            // The opening waited for writers in flight, and outlived the lease.
            Err(lost) => {
                section.leave().await;
                Err(lost.into())
            }
        }
    }

    async fn open_healing(
        &self,
        lease: &mut Lease,
        end: Option<Instant>,
        healing: &mut Healing,
    ) -> Result<OpenPermit, EnterError> {
        loop {
            let permit = lease.permit().map_err(Lost::from)?;
            match self.open_renewing(&permit, lease, end).await {
                Err(Error::Refused(refusal)) if healing.can_heal(&refusal, lease) => {
                    self.remint(lease, refusal.mark(), healing).await?;
                }
                answer => return Ok(answer?),
            }
        }
    }

    /// Opens for as long as the lease lives, or until the end of the longest hold. Then the lease is
    /// renewed meanwhile: writers in flight may hold the opening up for longer than a TTL.
    async fn open_renewing(
        &self,
        permit: &Permit,
        lease: &mut Lease,
        end: Option<Instant>,
    ) -> Result<OpenPermit, Error> {
        let Some(end) = end else {
            return self.open_for(permit, || lease.remaining()).await;
        };
        let opening = self.open_for(permit, || end.saturating_duration_since(Instant::now()));
        renewing(&mut [lease], Some(end), opening).await
    }

    /// Opens; a lost reply is asked for again, once, because opening again is safe.
    async fn open_for(
        &self,
        permit: &Permit,
        left: impl Fn() -> Duration,
    ) -> Result<OpenPermit, Error> {
        match self.guard.open(permit, left()).await {
            Err(Error::Store(StoreError::Unknown(_))) => {
                self.figures.unknown("postgres");
                self.guard.open(permit, left()).await
            }
            answer => answer,
        }
    }
}
