//! What can go wrong with a lease, as values with numbers.
//!
//! Three fates: *applied* is `Ok`, *refused* is an answer of Redis that changed nothing, *unknown* is
//! the variant `Unknown`: the reply was lost, and what was asked may or may not have happened.

use std::time::Duration;

use fence::{Fence, Floor, Resource};
use redis::RedisError;

/// Why there is no lease.
///
/// Everything but [`Unknown`](AcquireError::Unknown) and [`TooLate`](AcquireError::TooLate) is a
/// refusal: nothing was minted and no lease was set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcquireError {
    /// Another holder has it. This is contention, not a failure.
    #[error("{resource} is held under fence {by} for {} ms more; wait or give up", .remaining.as_millis())]
    Held {
        /// What was asked for.
        resource: Resource,
        /// How long the other's lease lives unless it is renewed or released; whole milliseconds.
        remaining: Duration,
        /// The other's fence.
        by: Fence,
    },
    /// Nobody has it, but others wait, and it is the turn of the first of them. Contention, too.
    #[error("{resource} is free, but it is another waiter's turn for {} ms more; wait or give up", .remaining.as_millis())]
    Reserved {
        /// What was asked for.
        resource: Resource,
        /// For how long it is kept for the one who was woken; whole milliseconds, at most 500.
        remaining: Duration,
    },
    /// Another holder has it, and nobody more can wait for it. Contention, too.
    #[error("{resource} is held, and {waiters} wait for it already: give up, or come back later")]
    QueueFull {
        /// What was asked for.
        resource: Resource,
        /// How many can wait.
        waiters: u64,
    },
    /// The counter of this resource's bucket is gone: Redis lost its memory, or never had any.
    #[error(
        "no fence counter for {resource}: ask the guard for its mark and acquire with it as floor"
    )]
    CounterMissing {
        /// What was asked for.
        resource: Resource,
    },
    /// The counter holds something that cannot be counted on.
    #[error(
        "the fence counter {key} is {problem}: delete it, then acquire with the guard's mark as floor"
    )]
    CounterUnusable {
        /// What was asked for.
        resource: Resource,
        /// The key to look at.
        key: String,
        /// What is wrong with it.
        problem: CounterProblem,
    },
    /// The floor lies more than 2^40 above the counter, or above 2^61 where there is no counter.
    #[error(
        "the floor {floor} of {resource} is too far above the counter {key} ({}): \
         repair the guard's mark, or set the counter by hand if the mark is right",
        .counter.map_or("missing".to_owned(), |counter| counter.to_string())
    )]
    FloorTooFar {
        /// What was asked for.
        resource: Resource,
        /// The key of the counter.
        key: String,
        /// The floor that was given.
        floor: Floor,
        /// The counter; `None` where there is none.
        counter: Option<Fence>,
    },
    /// The counter has reached [`Fence::MAX`], or the floor has.
    #[error(
        "no number is left for {resource} in the fence counter {key}: if the guard's mark is lower, \
         delete the counter, then acquire with the mark as floor"
    )]
    Exhausted {
        /// What was asked for.
        resource: Resource,
        /// The key of the counter.
        key: String,
    },
    /// The lease's key holds something that this crate never writes, or has no TTL.
    #[error("the key {key} is no lease of ours: find out who wrote it, then delete it")]
    ForeignLease {
        /// What was asked for.
        resource: Resource,
        /// The key to look at.
        key: String,
    },
    /// Redis granted the lease, but by the time that the reply came it could no longer be trusted.
    /// What is left of it is given back in the background.
    #[error(
        "the lease of {resource} under fence {fence} was over when its reply came: acquire again, for longer"
    )]
    TooLate {
        /// What was asked for.
        resource: Resource,
        /// The fence that was granted, and is now spent.
        fence: Fence,
    },
    /// The reply was lost, or Redis failed. Send the same attempt again: it finds its own lease.
    #[error(
        "Redis failed or its reply was lost, the lease may have been granted: send the same attempt again"
    )]
    Unknown(#[source] RedisError),
}

impl AcquireError {
    /// Whether somebody else has it, or has the better claim: neither a failure nor a loss.
    pub fn is_contention(&self) -> bool {
        matches!(
            self,
            AcquireError::Held { .. }
                | AcquireError::Reserved { .. }
                | AcquireError::QueueFull { .. }
        )
    }
}

/// What is wrong with a fence counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CounterProblem {
    /// A list, a hash, anything but a string.
    #[error("not a string")]
    WrongType,
    /// Text, a negative number, a fraction.
    #[error("not a whole number")]
    NotANumber,
    /// 0, more than [`Fence::MAX`], or written with leading zeros.
    #[error("not a number from 1 to 2^62 - 1")]
    OutOfRange,
}

/// The trusted time of a lease is over. Stop: another may hold the resource by now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the lease of {resource} under fence {fence} was lost {} ms ago: stop, and acquire again", .ago.as_millis())]
#[non_exhaustive]
pub struct Lost {
    /// What was held.
    pub resource: Resource,
    /// Under which fence.
    pub fence: Fence,
    /// How long ago trust ended.
    pub ago: Duration,
}

/// Why a lease was not renewed. All but [`Unknown`](RenewError::Unknown) leave it lost.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenewError {
    /// The lease expired, or was deleted. It is not taken again: that would be an acquisition.
    #[error("the lease of {resource} expired: stop, and acquire again")]
    Expired {
        /// What was held.
        resource: Resource,
    },
    /// Another acquisition has the lease.
    #[error("the lease of {resource} was taken over under fence {by}: stop this work")]
    TakenOver {
        /// What was held.
        resource: Resource,
        /// The fence of the other acquisition.
        by: Fence,
    },
    /// The lease's key holds something that this crate never writes.
    #[error("the key {key} is no lease of ours: find out who wrote it, then delete it")]
    ForeignLease {
        /// What was held.
        resource: Resource,
        /// The key to look at.
        key: String,
    },
    /// Redis renewed, but by the time that the reply came the new time could no longer be trusted.
    #[error("the renewed lease of {resource} was over when its reply came: renew for longer")]
    TooLate {
        /// What was held.
        resource: Resource,
    },
    /// The reply was lost, or Redis failed. Until the next answer the shorter of the two times is
    /// trusted. Renew again.
    #[error(
        "Redis failed or its reply was lost, the lease may have been renewed: renew again while it is trusted"
    )]
    Unknown(#[source] RedisError),
}

/// Why a lease was not reminted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemintError {
    /// The lease expired, or was deleted. It is lost.
    #[error("the lease of {resource} expired: stop, and acquire again")]
    Expired {
        /// What was held.
        resource: Resource,
    },
    /// Another acquisition has the lease. It is lost.
    #[error("the lease of {resource} was taken over under fence {by}: stop this work")]
    TakenOver {
        /// What was held.
        resource: Resource,
        /// The fence of the other acquisition.
        by: Fence,
    },
    /// The counter could not give a higher fence, or the answer was lost. The lease is still held;
    /// after [`AcquireError::Unknown`] remint again before anything else, to learn the fence.
    #[error(transparent)]
    NotMinted(#[from] AcquireError),
}

/// Why it is not known how a release went.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The lease's key holds something that this crate never writes. It stays as it is.
    #[error("the key {key} is no lease of ours: find out who wrote it, then delete it")]
    ForeignLease {
        /// What was held.
        resource: Resource,
        /// The key to look at.
        key: String,
    },
    /// The reply was lost, or Redis failed. One more release is sent in the background; otherwise
    /// the lease ends with its TTL.
    #[error(
        "Redis failed or its reply was lost, the lease may still be held: it ends with its ttl at the latest"
    )]
    Unknown(#[source] RedisError),
}
