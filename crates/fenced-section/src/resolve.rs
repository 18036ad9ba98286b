//! After an unknown outcome: find out, for good.

use std::time::Instant;

use fence::Permit;
use fence_guard::OpenPermit;
use lease_lock::Attempt;
use tracing::{field, instrument};

use crate::section::Entered;
use crate::{EnterError, EnterOptions, Section, Sections};

/// What was found out, and the section under which that stays true.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resolved<T> {
    /// What the look came to.
    pub found: T,
    /// The section that it was looked under. Do the work again in it, or leave it.
    pub section: Section,
}

impl Sections {
    /// Finds out what became of an attempt whose reply was lost: opens above its fence, then looks.
    ///
    /// `attempt` is the permit that it was made with. Where the look finds nothing, nothing will come:
    /// *no attempt under that fence or a lower one on this resource will ever apply*. Looking without
    /// the opening would prove nothing, since the write may still be on its way.
    ///
    /// It acquires as the same holder. A lease that is still that holder's gets a higher fence and keeps
    /// its time, so nobody waits for its end; a section still in hand under it is of no use from then
    /// on. Where another has the lease, it waits for it as a new holder, for up to
    /// [`EnterOptions::budget`]. Looking again, also from another process, is safe.
    ///
    /// ```no_run
    /// # use credit_ledger::{Ledger, Account, Purpose};
    /// # use fenced_section::{EnterOptions, Permit, Sections};
    /// # async fn example(sections: Sections, permit: Permit, options: EnterOptions, ledger: Ledger,
    /// #     account: Account, purpose: Purpose, period: time::OffsetDateTime) -> Result<(), Box<dyn std::error::Error>> {
    /// let look = async |_: &_| ledger.charged(&account, &purpose, period).await;
    /// let resolved = sections.resolve(&permit, &options, look).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`EnterError`]: [`EnterError::Held`] while a later holder works, whose opening proves the same once
    /// it is over. The attempt stays unknown until this has succeeded.
    #[instrument(name = "fenced_section.resolve", skip_all, err(level = "debug"), fields(
        fence.resource = %attempt.resource(),
        fence.presented = attempt.fence().get(),
        fence.number = field::Empty,
        lease.ttl_ms = options.ttl.as_millis(),
    ))]
    pub async fn resolve<T>(
        &self,
        attempt: &Permit,
        options: &EnterOptions,
        look: impl AsyncFnOnce(&OpenPermit) -> T,
    ) -> Result<Resolved<T>, EnterError> {
        let deadline = options.deadline();
        let (resource, floor) = (attempt.resource(), attempt.fence().as_floor());
        let above = Attempt::new(resource.clone(), options.ttl).with_floor(floor);
        // Not given up when it stays unanswered or this future is dropped: the same holder may be about
        // to ask again, and an end that comes late would take the lease from under it. So the same
        // holder does not wait.
        let same = above.clone().with_holder(attempt.holder());
        let acquired = match self.acquire(same, Instant::now()).await {
            Err(error) if error.is_contention() && !options.budget.is_zero() => {
                self.acquire_new(above, deadline).await?
            }
            answer => answer?,
        };
        let section = self.open_lease(acquired, options, Entered::Resolve).await?;
        let found = look(&section.open).await;
        Ok(Resolved { found, section })
    }
}
