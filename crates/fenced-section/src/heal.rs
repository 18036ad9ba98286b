//! Healing: Redis has lost numbers, the guard has not. A lease that is fresh gets a higher one.

use std::time::Duration;

use fence::{Floor, Reason, Refusal, Resource};
use lease_lock::{AcquireError, Lease, RemintError};

use crate::{EnterError, Lost, Sections};

/// How often one lease is reminted. Once is enough after any loss of memory; once more if a lagging
/// holder opens in between. Beyond that somebody mints ahead of us for another reason.
const MOST_REMINTS: u32 = 3;

/// What was healed so far on the way into one section.
#[derive(Debug, Default)]
pub(crate) struct Healing {
    counter_was_missing: bool,
    remints: u32,
    mark: Floor,
}

impl Healing {
    /// The counter was missing: the guard's mark is the floor. A new Redis is in the same state, and a
    /// resource that was never opened has nothing to heal.
    pub(crate) fn counter_was_missing(&mut self, mark: Floor) {
        self.counter_was_missing = mark > Floor::ZERO;
        self.mark = mark;
    }

    /// Whether a refusal can come from lost numbers and a higher one is still to be tried.
    ///
    /// *Stale* and *conflict* can, as long as the lease is fresh: its holder was granted it after the
    /// one with the higher number. *Closed* is this holder's own end, and never heals.
    pub(crate) fn can_heal(&self, refusal: &Refusal, lease: &Lease) -> bool {
        matches!(refusal.reason(), Reason::Stale | Reason::Conflict)
            && self.remints < MOST_REMINTS
            && lease.permit().is_ok()
    }

    /// Counts and logs what was healed, once for each section.
    pub(crate) fn done(&self, sections: &Sections, resource: &Resource) {
        if !self.counter_was_missing && self.remints == 0 {
            return;
        }
        sections.figures.healed();
        tracing::warn!(
            fence.resource = %resource,
            fence.mark = self.mark.get(),
            fence.remints = self.remints,
            fence.counter_was_missing = self.counter_was_missing,
            "Redis had lost fences, went on above the guard's mark"
        );
    }
}

impl Sections {
    /// Mints a number above the mark into the same lease. Without an answer the same is asked again,
    /// once, because only the answer says which fence the lease has now.
    pub(crate) async fn remint(
        &self,
        lease: &mut Lease,
        mark: Floor,
        healing: &mut Healing,
    ) -> Result<(), EnterError> {
        healing.remints += 1;
        healing.mark = mark;
        let mut answer = lease.remint(mark).await;
        if matches!(
            answer,
            Err(RemintError::NotMinted(AcquireError::Unknown(_)))
        ) {
            self.figures.unknown("redis");
            answer = lease.remint(mark).await;
        }
        match answer {
            Ok(_) => Ok(()),
            Err(RemintError::NotMinted(error)) => Err(error.into()),
            // Expired, or taken over.
            Err(_) => Err(EnterError::Lost(Lost {
                resource: lease.resource().clone(),
                fence: lease.fence(),
                ago: Duration::ZERO,
            })),
        }
    }
}
