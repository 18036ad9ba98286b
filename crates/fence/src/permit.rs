//! What a holder carries to the guard.

use std::fmt;

use crate::{Fence, Holder, Resource};

/// (resource, fence, holder): what a holder carries from the lease to the guard.
///
/// A permit is plain data, so that it can cross a process boundary. It lets nobody write by itself:
/// the guard must have *opened* the resource under exactly this fence and holder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Permit {
    resource: Resource,
    fence: Fence,
    holder: Holder,
}

impl Permit {
    /// Puts a permit together, from a lease or from what another process sent.
    pub fn new(resource: Resource, fence: Fence, holder: Holder) -> Permit {
        Permit {
            resource,
            fence,
            holder,
        }
    }

    /// What is protected.
    pub fn resource(&self) -> &Resource {
        &self.resource
    }

    /// The number of the acquisition.
    pub fn fence(&self) -> Fence {
        self.fence
    }

    /// Whose acquisition it was.
    pub fn holder(&self) -> Holder {
        self.holder
    }
}

impl fmt::Display for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} under fence {} by {}",
            self.resource, self.fence, self.holder
        )
    }
}
