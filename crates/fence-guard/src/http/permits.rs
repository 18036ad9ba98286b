//! Several permits on both ends of a request: for what concerns several resources at once.

use std::fmt;

use fence::Resource;
use http::HeaderMap;

use super::field::{FENCE_PERMIT, read, value_of};
use super::field_error::FieldError;
use crate::open_permit::OpenPermit;

/// The most lines of the header that a request may have: as many openings as
/// [`begin_all`](crate::Guard::begin_all) takes.
pub const MAX_PERMITS: usize = 64;

/// Puts openings of different resources into the headers of a request, one line each, in the place of any that are
/// there. With no opening it takes the header out.
///
/// For a receiver that takes [`FencePermits`]; one that takes [`FencePermit`](super::FencePermit) refuses a second
/// line. It refuses more than [`MAX_PERMITS`] lines, and two of one resource. As for whom it may be sent to, see
/// [`carry`](super::carry).
pub fn carry_all<'a>(opens: impl IntoIterator<Item = &'a OpenPermit>, headers: &mut HeaderMap) {
    headers.remove(FENCE_PERMIT);
    for open in opens {
        headers.append(FENCE_PERMIT, value_of(open));
    }
}

/// The openings that a request carries, of one resource each: 1 to [`MAX_PERMITS`].
///
/// With the feature `axum` it is an extractor, as [`FencePermit`](super::FencePermit) is, and answers alike. All are
/// to be admitted by one [`begin_all`](crate::Guard::begin_all): all or none.
pub struct FencePermits {
    opens: Vec<OpenPermit>,
}

/// A request concerns a resource that none of its permits is of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the request is about {wanted}, and none of its fence-permits is; send the permit of {wanted}"
)]
pub struct NotCarried {
    wanted: Resource,
}

impl FencePermits {
    /// Takes them out of a request's headers, in the order of the lines.
    ///
    /// # Errors
    /// [`FieldError`] unless there is a line, there are no more than [`MAX_PERMITS`], each is in exactly the documented
    /// spelling of one permit, and no two are of one resource.
    pub fn from_headers(headers: &HeaderMap) -> Result<FencePermits, FieldError> {
        let lines = headers.get_all(FENCE_PERMIT);
        // Before any is parsed.
        match lines.iter().count() {
            0 => return Err(FieldError::Missing),
            1..=MAX_PERMITS => {}
            lines => return Err(FieldError::TooMany { lines }),
        }
        let mut permits = FencePermits { opens: Vec::new() };
        for line in lines {
            let open = read(line.as_bytes())?;
            if permits.of(open.permit.resource()).is_some() {
                let resource = open.permit.resource().clone();
                return Err(FieldError::SameResource { resource });
            }
            permits.opens.push(open);
        }
        Ok(permits)
    }

    /// The openings of the resources that the request is about, in this order, each once; for `begin_all`. A permit of
    /// another resource is left out: nothing is written there.
    ///
    /// # Errors
    /// [`NotCarried`] for the first of them that was not opened by the sender.
    pub fn opens_for(&self, wanted: &[&Resource]) -> Result<Vec<&OpenPermit>, NotCarried> {
        let mut opens: Vec<&OpenPermit> = Vec::new();
        for &resource in wanted {
            if opens.iter().any(|open| open.permit.resource() == resource) {
                continue;
            }
            opens.push(self.of(resource).ok_or_else(|| NotCarried {
                wanted: resource.clone(),
            })?);
        }
        Ok(opens)
    }

    /// The openings, whatever their resources: for tables behind `fence.protect`, which compare them with each row's.
    pub fn into_opens(self) -> Vec<OpenPermit> {
        self.opens
    }

    /// What the sender has opened, in the order of the lines.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.opens.iter().map(|open| open.permit.resource())
    }

    fn of(&self, resource: &Resource) -> Option<&OpenPermit> {
        let mut opens = self.opens.iter();
        opens.find(|open| open.permit.resource() == resource)
    }
}

impl NotCarried {
    /// What the request is about.
    pub fn wanted(&self) -> &Resource {
        &self.wanted
    }
}

impl fmt::Debug for FencePermits {
    /// Without the holders, as for one permit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permits = self.opens.iter().map(|open| &open.permit);
        let shown = permits.map(|permit| (permit.resource(), permit.fence()));
        f.debug_map().entries(shown).finish()
    }
}
