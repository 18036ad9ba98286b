//! One wish for a lease, which may have to be sent more than once.

use fence::{Floor, Holder, Resource};

use crate::Ttl;

/// One wish for a lease: what to protect, for how long, and as whom.
///
/// An attempt has its holder before it is sent. So when the reply is lost, the same attempt is sent
/// again and finds its own lease: the same fence, and the milliseconds that are left, never a fresh
/// TTL. One attempt makes one lease; for the next lease make a new attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    resource: Resource,
    ttl: Ttl,
    holder: Holder,
    floor: Option<Floor>,
}

impl Attempt {
    /// A new attempt, by a new random holder.
    pub fn new(resource: Resource, ttl: Ttl) -> Attempt {
        Attempt {
            resource,
            ttl,
            holder: Holder::random(),
            floor: None,
        }
    }

    /// The same attempt by a holder that was chosen elsewhere, for example stored with the job
    /// before the first try. It must not have been used for any other acquisition.
    pub fn with_holder(self, holder: Holder) -> Attempt {
        Attempt { holder, ..self }
    }

    /// The same attempt, for a fence above `floor`.
    ///
    /// The floor is the guard's mark. It makes a missing counter again, raises one that has fallen
    /// behind, and mints a higher fence where this holder already has the lease under one that is
    /// not above the floor. Where the counter is already higher, it changes nothing.
    pub fn with_floor(self, floor: Floor) -> Attempt {
        let floor = Some(floor);
        Attempt { floor, ..self }
    }

    /// What to protect.
    pub fn resource(&self) -> &Resource {
        &self.resource
    }

    /// For how long.
    pub fn ttl(&self) -> Ttl {
        self.ttl
    }

    /// As whom.
    pub fn holder(&self) -> Holder {
        self.holder
    }

    /// What the fence must exceed, if that was asked for.
    pub fn floor(&self) -> Option<Floor> {
        self.floor
    }
}
