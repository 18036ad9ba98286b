//! What a caller asks the ledger to do.

use std::time::Duration;

use crate::names::{Account, Credits, Purpose};
use crate::request_id::RequestId;

/// A grant: credits that enter an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The id of the request.
    pub request: RequestId,
    /// Who gets them.
    pub account: Account,
    /// How much.
    pub amount: Credits,
    /// What for.
    pub purpose: Purpose,
}

/// A charge: credits that leave an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The id of the request.
    pub request: RequestId,
    /// Whom to charge.
    pub account: Account,
    /// How much.
    pub amount: Credits,
    /// What for.
    pub purpose: Purpose,
}

/// A hold: credits of an account that are set aside for one charge.
///
/// Its request id belongs to one attempt: a job that is run again, under another opening, holds anew, for its first hold
/// is void. The id of its *capture* belongs to the job: that is what keeps the job from being paid for twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The id of the request; it is the hold's name.
    pub request: RequestId,
    /// Whose credits.
    pub account: Account,
    /// How much; the most that can be captured.
    pub amount: Credits,
    /// What for.
    pub purpose: Purpose,
    /// After how long it expires, by the database's clock: 1 ms to 366 days, in whole microseconds, rounded up.
    pub expires_in: Duration,
}

/// A capture: a hold, or a part of it, becomes a charge, and the rest is free again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capture {
    /// The id of this request; it is the charge's name.
    pub request: RequestId,
    /// Which hold: the id of its request.
    pub hold: RequestId,
    /// How much of it.
    pub amount: Credits,
}

/// A release: all of a hold is free again, and nothing is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// The id of this request.
    pub request: RequestId,
    /// Which hold: the id of its request.
    pub hold: RequestId,
}

/// A refund: a charge, or a part of it, goes back to its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refund {
    /// The id of this request.
    pub request: RequestId,
    /// Which charge: the id of its request, or of the capture's.
    pub charge: RequestId,
    /// How much of it.
    pub amount: Credits,
}
