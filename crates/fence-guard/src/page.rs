//! Which rows of the history are asked for, and which page of them.

use fence::{Holder, Reason, Resource};
use time::OffsetDateTime;
use uuid::Uuid;

/// Which openings or refusals are asked for; each part narrows it, and without any it is all of them.
///
/// ```
/// # use fence_guard::{Filter, Reason, Resource};
/// # fn example(resource: Resource, today: time::OffsetDateTime) {
/// let of_a_resource = Filter::from(&resource);
/// let late_today = Filter::all().since(today).refused_for(Reason::Stale);
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Filter {
    resource: Option<Resource>,
    holder: Option<Holder>,
    reason: Option<Reason>,
    pub(crate) since: Option<OffsetDateTime>,
}

/// A page of rows that are numbered: they are read on from the last number of the page before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// Those after this number, in the order of their numbers; 0 from the start.
    After(i64),
    /// Those before this number, the newest first.
    Before(i64),
}

impl Filter {
    /// Every row.
    pub fn all() -> Filter {
        Filter::default()
    }

    /// Of this resource.
    pub fn under(self, resource: Resource) -> Filter {
        Filter {
            resource: Some(resource),
            ..self
        }
    }

    /// Opened, or tried, by this holder.
    pub fn by(self, holder: Holder) -> Filter {
        Filter {
            holder: Some(holder),
            ..self
        }
    }

    /// Refused for this reason; it says nothing of openings.
    pub fn refused_for(self, reason: Reason) -> Filter {
        Filter {
            reason: Some(reason),
            ..self
        }
    }

    /// From this moment on, that moment included, by the database's clock. Of a refused write it is the first attempt
    /// that counts. Where that clock was set back, rows of the time that came twice may be left out.
    pub fn since(self, moment: OffsetDateTime) -> Filter {
        Filter {
            since: Some(moment),
            ..self
        }
    }

    pub(crate) fn resource(&self) -> Option<&str> {
        self.resource.as_ref().map(Resource::as_str)
    }

    pub(crate) fn holder(&self) -> Option<Uuid> {
        self.holder.map(Holder::as_uuid)
    }

    pub(crate) fn reason(&self) -> Option<&'static str> {
        self.reason.map(Reason::as_str)
    }
}

impl From<&Resource> for Filter {
    fn from(resource: &Resource) -> Filter {
        Filter::all().under(resource.clone())
    }
}

impl From<Option<&Resource>> for Filter {
    fn from(resource: Option<&Resource>) -> Filter {
        resource.map_or_else(Filter::all, Filter::from)
    }
}

impl Page {
    /// The newest rows.
    pub const NEWEST: Page = Page::Before(i64::MAX);

    /// What a reading function takes as `p_after`.
    pub const fn after(self) -> i64 {
        match self {
            Page::After(number) => number,
            Page::Before(_) => 0,
        }
    }

    /// What a reading function takes as `p_before`.
    pub const fn before(self) -> Option<i64> {
        match self {
            Page::After(_) => None,
            Page::Before(number) => Some(number),
        }
    }
}

impl From<i64> for Page {
    fn from(after: i64) -> Page {
        Page::After(after)
    }
}
