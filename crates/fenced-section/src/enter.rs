//! Acquire, open, heal.

use std::time::Instant;

use fence::{Permit, Resource};
use fence_guard::{Error, OpenPermit, StoreError};
use lease_lock::Lease;
use tracing::{Span, field, instrument};

use crate::heal::Healing;
use crate::hold::Hold;
use crate::section::Entered;
use crate::{EnterError, EnterOptions, Lost, Section, Sections};

impl Sections {
    /// Takes the lease and opens the resource. When it returns, no write of an earlier holder is in
    /// flight, and none that comes later is let in: read, decide and write under it.
    ///
    /// It never waits for another holder's lease. Two round trips; where Redis has lost its numbers, two
    /// more: the guard's mark is asked for, or a higher number minted.
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
    ))]
    pub async fn enter(
        &self,
        resource: &Resource,
        options: &EnterOptions,
    ) -> Result<Section, EnterError> {
        let since = Instant::now();
        let mut healing = Healing::default();
        let lease = self.acquire_new(resource, options, &mut healing).await?;
        self.open_lease(lease, since, options, healing, Entered::Lease)
            .await
    }

    /// Opens under a lease; gives it back where that fails for good.
    pub(crate) async fn open_lease(
        &self,
        mut lease: Lease,
        since: Instant,
        options: &EnterOptions,
        mut healing: Healing,
        by: Entered,
    ) -> Result<Section, EnterError> {
        let resource = lease.resource().clone();
        let open = match self.open_healing(&mut lease, &mut healing).await {
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
        healing.done(self, &resource);
        Span::current().record("fence.number", open.permit().fence().get());
        let section = Section::new(self, open, Hold::Lease(lease), since, options, by);
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
        healing: &mut Healing,
    ) -> Result<OpenPermit, EnterError> {
        loop {
            let permit = lease.permit().map_err(Lost::from)?;
            match self.open_permit(&permit, lease).await {
                Err(Error::Refused(refusal)) if healing.can_heal(&refusal, lease) => {
                    self.remint(lease, refusal.mark(), healing).await?;
                }
                answer => return Ok(answer?),
            }
        }
    }

    /// Opens; a lost reply is asked for again, once, because opening again is safe.
    async fn open_permit(&self, permit: &Permit, lease: &Lease) -> Result<OpenPermit, Error> {
        match self.guard.open(permit, lease.remaining()).await {
            Err(Error::Store(StoreError::Unknown(_))) => {
                self.figures.unknown("postgres");
                self.guard.open(permit, lease.remaining()).await
            }
            answer => answer,
        }
    }
}
