//! What is held between entering and leaving.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fence::{Fence, Permit, Resource};
use fence_guard::OpenPermit;
use lease_lock::Ttl;
use tokio::runtime::Handle;

use crate::hold::Hold;
use crate::{EnterOptions, Lost, Sections};

/// The right to work on a resource, while it lasts: a lease that is trusted, and an opening under its
/// fence. [`leave`](Section::leave) it.
///
/// A section that is dropped is left in the background: closed, then released, once, and nobody learns
/// how that went. That is best effort, because the process may end first; then the lease ends with its
/// TTL, and the next opening is recorded as a takeover. No drop panics, also not at the runtime's end.
#[derive(Debug)]
#[must_use = "a section that is dropped is left at once"]
pub struct Section {
    pub(crate) sections: Sections,
    pub(crate) open: Arc<OpenPermit>,
    pub(crate) hold: Hold,
    /// When its lease was granted, or the guard was asked for an opening without one.
    pub(crate) since: Instant,
    pub(crate) ttl: Ttl,
    pub(crate) leave_step: Duration,
    /// Where it is left when it is dropped: that may be outside of any runtime.
    runtime: Handle,
    /// It is being left in the background already: its drop tries no second time.
    in_background: bool,
}

/// What a section was entered by; a label of the figures.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entered {
    Lease,
    Guard,
    Resolve,
}

impl Section {
    pub(crate) fn new(
        sections: &Sections,
        open: OpenPermit,
        hold: Hold,
        since: Instant,
        options: &EnterOptions,
        by: Entered,
    ) -> Section {
        sections.figures.entered(by.label());
        if open.is_takeover() {
            sections.figures.takeover();
        }
        Section {
            sections: sections.clone(),
            open: Arc::new(open),
            hold,
            since,
            ttl: options.ttl,
            leave_step: options.leave_step,
            runtime: Handle::current(),
            in_background: false,
        }
    }

    /// What lets you write, as long as the section is trusted.
    ///
    /// Ask again after every wait: whoever wakes from a pause sees here, first thing, that the lease is
    /// lost. One in hand stays as it is, and the guard is what makes a late one harmless.
    ///
    /// # Errors
    /// [`Lost`] once the trusted time is over.
    pub fn open(&self) -> Result<&OpenPermit, Lost> {
        match self.hold.lost_for() {
            None => Ok(&self.open),
            Some(_) => Err(self.lost_now()),
        }
    }

    /// (resource, fence, holder) of the section, lost or not: store it with the work, before the work, and
    /// [`resolve`](Sections::resolve) finds out what became of it.
    pub fn permit(&self) -> &Permit {
        self.open.permit()
    }

    /// What it protects.
    pub fn resource(&self) -> &Resource {
        self.permit().resource()
    }

    /// Its number.
    pub fn fence(&self) -> Fence {
        self.permit().fence()
    }

    /// Whether the opening before it was not closed: its holder may still be running.
    pub fn is_takeover(&self) -> bool {
        self.open.is_takeover()
    }

    /// How long it can still be trusted; zero once it is lost. With a keeper: if the lease is not renewed
    /// once more.
    pub fn remaining(&self) -> Duration {
        self.hold.remaining()
    }

    /// Returns when the section is lost, which is before Redis can grant its lease to another; with a
    /// keeper at the end of the longest hold at the latest. Dropping it and calling it again loses nothing.
    pub async fn lost(&self) {
        self.hold.lost().await;
    }

    /// The loss, of a section that is lost.
    pub(crate) fn lost_now(&self) -> Lost {
        Lost {
            resource: self.resource().clone(),
            fence: self.fence(),
            ago: self.hold.lost_for().unwrap_or_default(),
        }
    }
}

impl Entered {
    const fn label(self) -> &'static str {
        match self {
            Entered::Lease => "lease",
            Entered::Guard => "guard",
            Entered::Resolve => "resolve",
        }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        let hold = mem::replace(&mut self.hold, Hold::GivenBack);
        // A runtime that has shut down drops what it is given at once, and that must not come back here;
        // what is left then is the release that every lease sends when it is dropped.
        if self.in_background || matches!(hold, Hold::GivenBack) {
            return;
        }
        let section = Section {
            sections: self.sections.clone(),
            open: self.open.clone(),
            hold,
            since: self.since,
            ttl: self.ttl,
            leave_step: self.leave_step,
            runtime: self.runtime.clone(),
            in_background: true,
        };
        self.runtime.spawn(async move {
            let left = section.leave().await;
            tracing::debug!(%left, "left a dropped section");
        });
    }
}
