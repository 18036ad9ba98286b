//! Why nothing was entered: contention, loss, a failure of Redis or Postgres and a refusal are
//! different things, because callers do different things about them.

use std::time::Duration;

use fence::{Fence, Permit, Refusal, Resource};
use fence_guard::{Blocker, StoreError};
use lease_lock::AcquireError;
use time::OffsetDateTime;

/// Why there is no section. The lease, if there was one, has been given back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnterError {
    /// Contention: another holder has the lease.
    #[error("{resource} is held under fence {by} for {} ms more; wait or give up", .remaining.as_millis())]
    Held {
        /// What was asked for.
        resource: Resource,
        /// The other's fence.
        by: Fence,
        /// How long the other's lease lives unless it is renewed or released; whole milliseconds.
        remaining: Duration,
    },
    /// Contention of another kind: nobody has the lease, but others wait for it and come first; or so
    /// many wait for it that nobody more can.
    #[error(transparent)]
    Contended(AcquireError),
    /// The lease was granted, and was over before the resource was open. Enter again, for longer.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// Redis failed, or did not answer the same attempt twice: this is failing closed.
    #[error(
        "nothing was entered, because Redis failed: try again, or choose enter_from_guard or run_unfenced"
    )]
    Redis(#[source] AcquireError),
    /// Redis answered, but what it holds under the keys cannot be used; the message names the repair.
    #[error(transparent)]
    Keys(AcquireError),
    /// The guard turned the opening away, and reminting did not help or was not allowed.
    #[error(transparent)]
    Refused(Refusal),
    /// An opening that the guard minted itself, or (entering from the guard) any other's, is unclosed
    /// and valid.
    #[error("the resource is opened by another holder until {until}; try again then")]
    Busy {
        /// When its validity ends, by the database's clock.
        until: OffsetDateTime,
    },
    /// Writers in flight kept the resource locked for longer than the guard waits.
    #[error(
        "writers in flight keep the resource locked ({} to be seen); try again, or end their sessions",
        .blockers.len()
    )]
    Blocked {
        /// Who held it right after the wait; empty if they were gone by then.
        blockers: Vec<Blocker>,
    },
    /// Postgres did not answer, or answered with an error.
    #[error(transparent)]
    Postgres(#[from] StoreError),
}

/// The time of a section is over. Stop: another may hold the resource by now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the lease of {resource} under fence {fence} was lost {} ms ago: stop, and enter again", .ago.as_millis())]
#[non_exhaustive]
pub struct Lost {
    /// What was held.
    pub resource: Resource,
    /// Under which fence.
    pub fence: Fence,
    /// How long ago trust ended; zero where that is not known.
    pub ago: Duration,
}

/// Why [`Sections::once`](crate::Sections::once) has no value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnceError<E: std::error::Error + 'static> {
    /// There was no lease, or none any more when it had to be reminted: nothing was written.
    #[error(transparent)]
    Enter(EnterError),
    /// The call failed, or was refused for good.
    #[error("the call under fence {} failed", .permit.fence())]
    Call {
        /// What it was made with: [`Sections::resolve`](crate::Sections::resolve) takes it when the
        /// outcome is unknown.
        permit: Permit,
        /// The call's own error.
        #[source]
        source: E,
    },
}

impl EnterError {
    /// Whether somebody else has the resource, or has the better claim: neither a failure nor a loss.
    pub fn is_contention(&self) -> bool {
        matches!(
            self,
            EnterError::Held { .. } | EnterError::Contended(_) | EnterError::Busy { .. }
        )
    }
}

impl From<lease_lock::Lost> for Lost {
    fn from(lost: lease_lock::Lost) -> Lost {
        Lost {
            resource: lost.resource,
            fence: lost.fence,
            ago: lost.ago,
        }
    }
}

impl From<AcquireError> for EnterError {
    fn from(error: AcquireError) -> EnterError {
        match error {
            AcquireError::Held {
                resource,
                remaining,
                by,
            } => EnterError::Held {
                resource,
                by,
                remaining,
            },
            AcquireError::TooLate { resource, fence } => EnterError::Lost(Lost {
                resource,
                fence,
                ago: Duration::ZERO,
            }),
            AcquireError::CounterMissing { .. }
            | AcquireError::CounterUnusable { .. }
            | AcquireError::FloorTooFar { .. }
            | AcquireError::Exhausted { .. }
            | AcquireError::ForeignLease { .. } => EnterError::Keys(error),
            AcquireError::Unknown(_) => EnterError::Redis(error),
            // What is added to waiting is contention; it must never look like a Redis that is down.
            other => EnterError::Contended(other),
        }
    }
}

impl From<fence_guard::Error> for EnterError {
    fn from(error: fence_guard::Error) -> EnterError {
        use fence_guard::Error;
        match error {
            Error::Refused(refusal) => EnterError::Refused(refusal),
            Error::Busy { until } => EnterError::Busy { until },
            Error::Blocked { blockers } => EnterError::Blocked { blockers },
            Error::Store(error) => EnterError::Postgres(error),
            other => EnterError::Postgres(StoreError::Foreign {
                what: other.to_string(),
            }),
        }
    }
}
