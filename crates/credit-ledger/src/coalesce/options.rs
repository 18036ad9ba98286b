//! How a front goes about it.

use tokio::sync::Semaphore;

/// How a [`Coalescer`](crate::Coalescer) goes about it. The default: room for 1024 charges, 128 of them of one account;
/// 64 together; alone as many as its pool has connections but one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoalesceOptions {
    pub(super) capacity: usize,
    pub(super) of_an_account: usize,
    pub(super) together: usize,
    pub(super) alone: usize,
}

impl Default for CoalesceOptions {
    fn default() -> CoalesceOptions {
        CoalesceOptions {
            capacity: 1024,
            of_an_account: 128,
            together: 64,
            alone: usize::MAX,
        }
    }
}

impl CoalesceOptions {
    /// With room for so many charges, at least one; who comes to a full front waits for room.
    pub fn with_capacity(self, charges: usize) -> CoalesceOptions {
        CoalesceOptions {
            capacity: charges.clamp(1, Semaphore::MAX_PERMITS),
            ..self
        }
    }

    /// With room for so many charges of one account, at least one: so one account that is locked does not take the room
    /// of the others.
    pub fn with_room_of_an_account(self, charges: usize) -> CoalesceOptions {
        CoalesceOptions {
            of_an_account: charges.clamp(1, Semaphore::MAX_PERMITS),
            ..self
        }
    }

    /// With at most so many charges in one call, 1 to 256.
    pub fn with_together(self, charges: usize) -> CoalesceOptions {
        CoalesceOptions {
            together: charges.clamp(1, 256),
            ..self
        }
    }

    /// With at most so many charges on their way alone, at least one, and otherwise never more than the pool has
    /// connections but one. Two of one account never are.
    pub fn with_alone(self, charges: usize) -> CoalesceOptions {
        CoalesceOptions {
            alone: charges.max(1),
            ..self
        }
    }
}
