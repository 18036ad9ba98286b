//! What a service has one of: the lease's client, the guard, and the figures.

use std::sync::Arc;

use fence_guard::Guard;
use lease_lock::LeaseLock;

use crate::Summary;
use crate::figures::Figures;

/// Makes [`Section`](crate::Section)s: a lease's client, a guard, and the figures of what went through
/// them. Cloning is cheap and shares all three.
#[derive(Debug, Clone)]
pub struct Sections {
    pub(crate) locks: LeaseLock,
    pub(crate) guard: Guard,
    pub(crate) figures: Arc<Figures>,
}

impl Sections {
    /// Puts a lease's client and a guard together. The figures start at zero.
    pub fn new(locks: LeaseLock, guard: Guard) -> Sections {
        Sections {
            locks,
            guard,
            figures: Arc::default(),
        }
    }

    /// The lease's client.
    pub fn locks(&self) -> &LeaseLock {
        &self.locks
    }

    /// The guard.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// What happened since [`new`](Sections::new), also through clones of it.
    pub fn summary(&self) -> Summary {
        self.figures.summary()
    }
}
