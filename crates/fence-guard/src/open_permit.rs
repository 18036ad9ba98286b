//! The proof that the resource was opened before anything was read.

use fence::Permit;
use time::OffsetDateTime;

/// A permit whose resource was opened: the only thing that lets you write.
///
/// Only an opening makes one ([`Guard::open`](crate::Guard::open), or
/// [`Guard::open_next`](crate::Guard::open_next) without a lease), so "charge without having opened" does not
/// compile. It is a proof about the past, not a promise: the guard looks at the row again at every
/// write, and refuses it once the holder was overtaken.
#[derive(Debug)]
pub struct OpenPermit {
    pub(crate) permit: Permit,
    pub(crate) seq: i64,
    pub(crate) valid_until: OffsetDateTime,
    pub(crate) takeover: bool,
}

impl OpenPermit {
    /// The permit that was opened.
    pub fn permit(&self) -> &Permit {
        &self.permit
    }

    /// The number of the opening, in the one sequence that openings, closes and guarded entries share.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// Until when the opener meant to hold, by the database's clock. For liveness and figures only.
    pub fn valid_until(&self) -> OffsetDateTime {
        self.valid_until
    }

    /// Whether this opening replaced one that was not closed: its holder may still be running.
    pub fn is_takeover(&self) -> bool {
        self.takeover
    }
}
