//! The permit on both ends of a request: put in by whoever has opened, taken out by whoever writes.

use std::fmt;

use fence::{Fence, Resource};
use http::HeaderMap;

use super::field::{FENCE_PERMIT, read, value_of};
use super::field_error::FieldError;
use crate::open_permit::OpenPermit;

/// Puts an opening into the headers of a request, in the place of any that is there.
///
/// Only for a request to a service that you trust as much as yourself: it then writes as you
/// ([what is secret](crate::http#what-is-secret)).
pub fn carry(open: &OpenPermit, headers: &mut HeaderMap) {
    headers.insert(FENCE_PERMIT, value_of(open));
}

/// The opening that a request carries: what its sender says that it has opened.
///
/// With the feature `axum` it is an extractor. A request without it is answered with 428, one whose header cannot
/// be read with 400; `Option<FencePermit>` takes requests without it, too.
///
/// It has no other proof than the sender's word, and needs none: the guard judges it at
/// [`begin`](crate::Guard::begin), and at every write to a protected table.
pub struct FencePermit {
    open: OpenPermit,
}

/// A request concerns another resource than the one that its sender has opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the request is about {wanted}, but its fence-permit is of {carried}; send the permit of {wanted}"
)]
pub struct OtherResource {
    wanted: Resource,
    carried: Resource,
}

impl FencePermit {
    /// Takes it out of a request's headers.
    ///
    /// # Errors
    /// [`FieldError`] unless there is exactly one header, in exactly the documented spelling.
    pub fn from_headers(headers: &HeaderMap) -> Result<FencePermit, FieldError> {
        let mut lines = headers.get_all(FENCE_PERMIT).iter();
        let first = lines.next().ok_or(FieldError::Missing)?;
        match lines.count() {
            0 => Ok(FencePermit {
                open: read(first.as_bytes())?,
            }),
            more => Err(FieldError::Repeated { lines: more + 1 }),
        }
    }

    /// The opening, if it is of the resource that the request is about.
    ///
    /// # Errors
    /// [`OtherResource`] if it is of another one: then it says nothing about what would be written.
    pub fn open_for(&self, resource: &Resource) -> Result<&OpenPermit, OtherResource> {
        if self.resource() == resource {
            return Ok(&self.open);
        }
        Err(OtherResource {
            wanted: resource.clone(),
            carried: self.resource().clone(),
        })
    }

    /// The opening, whatever its resource: for tables behind `fence.protect`, which compare it with each row's, and
    /// for requests that are about nothing else than what the header names.
    pub fn into_open(self) -> OpenPermit {
        self.open
    }

    /// What the sender has opened.
    pub fn resource(&self) -> &Resource {
        self.open.permit.resource()
    }

    /// Under which fence.
    pub fn fence(&self) -> Fence {
        self.open.permit.fence()
    }
}

impl OtherResource {
    /// What the request is about.
    pub fn wanted(&self) -> &Resource {
        &self.wanted
    }

    /// What its sender has opened.
    pub fn carried(&self) -> &Resource {
        &self.carried
    }
}

impl fmt::Debug for FencePermit {
    /// Without the holder: whoever reads a log must not be able to write as somebody else.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FencePermit")
            .field("resource", self.resource())
            .field("fence", &self.fence())
            .field("opening", &self.open.seq)
            .finish_non_exhaustive()
    }
}
