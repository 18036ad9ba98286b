//! Whoever calls: services that act as `fenced-section` makes them, or anybody with any permit.

mod act;
mod answer;
mod may;

pub(crate) use act::{Act, act};
pub(crate) use answer::{hear, unheard};
pub(crate) use may::may;

use crate::scope::Way;
use crate::session::Session;
use crate::words::{Call, Fence, Permit, Reason, Request};

/// One acquisition and what its service has come to. A service that acts again does so as a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Worker {
    pub(crate) resource: u8,
    pub(crate) permit: Permit,
    pub(crate) way: Way,
    /// It enters to find out what became of this attempt: the fence and the request.
    pub(crate) resolves: Option<(Fence, Request)>,
    pub(crate) phase: Phase,
}

/// Where a worker stands. It may stay there for as long as it likes, whatever becomes of its lease: that is
/// what being frozen, or late, looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    /// Redis has no counter: asks the guard for its mark next.
    Missing,
    /// Asks Redis, for the first time or again; with a floor where it has one.
    Asking(Option<Fence>),
    /// Has a lease.
    Leased,
    /// Waits for Postgres.
    Waiting(Call),
    /// No answer came.
    Unknown(Call),
    /// Has opened.
    Open,
    /// Has opened, and read how often it was paid for.
    Read(usize),
    /// Was refused under a fresh lease, by this mark: mints above it next.
    Refused(Reason, Fence),
}

impl Worker {
    pub(crate) fn resource(&self) -> usize {
        self.resource.into()
    }
}

impl Session {
    /// Whether this worker waits for it.
    pub(crate) fn is_of(&self, worker: &Worker) -> bool {
        self.heard && self.permit.holder == worker.permit.holder && self.resource == worker.resource
    }
}
