//! How a section is entered and left.

use std::time::{Duration, Instant};

use lease_lock::Ttl;

/// Long enough for writes in flight to end, short enough for a shutdown.
const LEAVE_STEP: Duration = Duration::from_secs(2);

/// How a section is entered and left; one value serves for all sections of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnterOptions {
    /// How long the lease lives. Several times what the work takes: the figures say how the two compare
    /// ([`Summary::hold`](crate::Summary::hold)).
    pub ttl: Ttl,
    /// How long to wait for the lease while others have it, healing included; for several resources,
    /// for all of their leases. Default: zero, which does not wait.
    pub budget: Duration,
    /// With a keeper: the longest time for which the lease is renewed, from the opening on; it is also
    /// what the guard is told. Default: none, the lease ends with its TTL.
    pub max_hold: Option<Duration>,
    /// How long each of the two steps of leaving may take, the close and the release. Default: two
    /// seconds.
    pub leave_step: Duration,
}

impl EnterOptions {
    /// With this lease, and the default for everything else.
    pub const fn for_ttl(ttl: Ttl) -> EnterOptions {
        EnterOptions {
            ttl,
            budget: Duration::ZERO,
            max_hold: None,
            leave_step: LEAVE_STEP,
        }
    }

    /// Waiting for up to this time while others have the lease: first come, first served.
    ///
    /// It has nothing to do with the TTL, which starts when the lease is granted.
    pub const fn with_budget(self, budget: Duration) -> EnterOptions {
        EnterOptions { budget, ..self }
    }

    /// With the lease renewed at each third of its TTL, for up to `max_hold` from the opening on: for
    /// work that may take many TTLs.
    ///
    /// The TTL then says how long others wait for a holder that has died, and `max_hold` when the work
    /// is certainly wrong: a stuck holder must not keep the resource for ever.
    pub const fn kept_for(self, max_hold: Duration) -> EnterOptions {
        EnterOptions {
            max_hold: Some(max_hold),
            ..self
        }
    }

    /// With another bound on each step of leaving.
    pub const fn with_leave_step(self, leave_step: Duration) -> EnterOptions {
        EnterOptions { leave_step, ..self }
    }

    /// When the wait for leases that begins now is over.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.budget.min(Ttl::MAX.as_duration())
    }

    /// When a hold that begins now is over at the latest; `None` without a keeper.
    pub(crate) fn end_of_hold(&self) -> Option<Instant> {
        let max_hold = self.max_hold?.min(Ttl::MAX.as_duration());
        Some(Instant::now() + max_hold)
    }
}
