//! How a section is entered and left.

use std::time::Duration;

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
    /// How long each of the two steps of leaving may take, the close and the release. Default: two
    /// seconds.
    pub leave_step: Duration,
}

impl EnterOptions {
    /// With this lease, and the default for everything else.
    pub const fn for_ttl(ttl: Ttl) -> EnterOptions {
        EnterOptions {
            ttl,
            leave_step: LEAVE_STEP,
        }
    }

    /// With another bound on each step of leaving.
    pub const fn with_leave_step(self, leave_step: Duration) -> EnterOptions {
        EnterOptions { leave_step, ..self }
    }
}
