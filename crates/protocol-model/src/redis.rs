//! The Redis side: one counter for both resources (they share a bucket), one lease for each.
//!
//! Each script is one step, as Redis runs it. Its clock is not modelled: a lease may end at any moment.

use crate::words::{Fence, Holder, Permit};

/// What Redis keeps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Redis {
    /// `None` after a restart without memory, or an eviction.
    pub(crate) counter: Option<Fence>,
    /// One for each resource.
    pub(crate) leases: Vec<Option<Permit>>,
}

/// What `acquire.lua` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acquired {
    /// `minted`, `reminted`, `yours`.
    Lease(Fence),
    /// `held` by another.
    Held,
    /// `missing`: no counter, and no floor was given.
    Missing,
    /// `expired`: there is no lease to remint into.
    Expired,
}

impl Redis {
    pub(crate) fn new(resources: usize) -> Redis {
        Redis {
            counter: Some(0),
            leases: vec![None; resources],
        }
    }

    /// `acquire.lua`, from the lease to the mint. Of a `remint` it takes no new lease.
    pub(crate) fn acquire(
        &mut self,
        resource: usize,
        holder: Holder,
        floor: Option<Fence>,
        remint: bool,
    ) -> Acquired {
        match self.leases[resource] {
            Some(lease) if lease.holder != holder => return Acquired::Held,
            Some(lease) if floor.is_none_or(|floor| floor < lease.fence) => {
                return Acquired::Lease(lease.fence);
            }
            None if remint => return Acquired::Expired,
            _ => {}
        }
        let Some(counter) = self.counter.or(floor) else {
            return Acquired::Missing;
        };
        let fence = counter.max(floor.unwrap_or(0)) + 1;
        self.counter = Some(fence);
        self.leases[resource] = Some(Permit { fence, holder });
        Acquired::Lease(fence)
    }
}
