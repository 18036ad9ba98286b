//! Why a request was not applied, as an answer over HTTP: [`Error`] becomes a [`Problem`] by `?`.
//!
//! | `type` | status | what its receiver does |
//! | --- | --- | --- |
//! | `tag:credit-ledger,2026:insufficient-credit` | 402 | tops the account up |
//! | `tag:credit-ledger,2026:request-mismatch` | 422 | takes a new request id, or sends what it sent first |
//! | `tag:credit-ledger,2026:unknown-account`, `…unknown-hold`, `…unknown-charge` | 404 | is to be mended |
//! | `tag:credit-ledger,2026:frozen-account` | 403 | asks whoever froze it |
//! | `tag:credit-ledger,2026:closed-account` | 410 | takes another account |
//! | `tag:credit-ledger,2026:hold-ended` | 409 | looks how: captured is paid; otherwise holds anew |
//! | `tag:credit-ledger,2026:other-resource` | 409 | opens the hold's own resource |
//! | `tag:credit-ledger,2026:not-empty`, `…below-floor` | 409 | empties the account, or fills it |
//! | `tag:credit-ledger,2026:exceeds-hold`, `…exceeds-charge`, `…balance-overflow` | 422 | asks for less |
//! | `tag:credit-ledger,2026:overdue` | 503 | sends it again, later |
//! | `tag:credit-ledger,2026:finished` | 503 | sends it again: another instance takes it |
//!
//! What the guard says, and what Postgres does not say, are the guard's own problems: 409 *stale* and its like with the
//! numbers, 409 *busy*, 503, and 500 *unknown* for a lost reply.
//!
//! 402 is what RFC 9110 reserves for this. 422 for a request id that was used for something else follows the draft of
//! the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header). No balance is told: whoever calls a service
//! need not be the account's owner.

use ::http::StatusCode;
use fence_guard::http::{OwnProblem, Problem};

use crate::error::Error;

/// The request id was used before, for something else.
pub const REQUEST_MISMATCH: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:request-mismatch",
    title: "The request id was used for something else",
    status: StatusCode::UNPROCESSABLE_ENTITY,
};
/// There is no account of that name.
pub const UNKNOWN_ACCOUNT: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:unknown-account",
    title: "There is no such account",
    status: StatusCode::NOT_FOUND,
};
/// Nothing is taken out of the account.
pub const FROZEN_ACCOUNT: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:frozen-account",
    title: "The account is frozen",
    status: StatusCode::FORBIDDEN,
};
/// The account has come to its end.
pub const CLOSED_ACCOUNT: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:closed-account",
    title: "The account is closed",
    status: StatusCode::GONE,
};
/// An account with something in it is not closed.
pub const NOT_EMPTY: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:not-empty",
    title: "The account is not empty",
    status: StatusCode::CONFLICT,
};
/// The account would be below its new floor.
pub const BELOW_FLOOR: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:below-floor",
    title: "The account would be below that floor",
    status: StatusCode::CONFLICT,
};
/// There is no hold of that request id.
pub const UNKNOWN_HOLD: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:unknown-hold",
    title: "There is no such hold",
    status: StatusCode::NOT_FOUND,
};
/// The hold was made under another resource.
pub const OTHER_RESOURCE: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:other-resource",
    title: "The hold was made under another resource",
    status: StatusCode::CONFLICT,
};
/// The hold was captured, released, has expired, or is void.
pub const HOLD_ENDED: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:hold-ended",
    title: "The hold has ended",
    status: StatusCode::CONFLICT,
};
/// More was to be captured than is held.
pub const EXCEEDS_HOLD: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:exceeds-hold",
    title: "The hold does not cover this",
    status: StatusCode::UNPROCESSABLE_ENTITY,
};
/// There is no charge of that request id.
pub const UNKNOWN_CHARGE: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:unknown-charge",
    title: "There is no such charge",
    status: StatusCode::NOT_FOUND,
};
/// More was to be refunded than is left of the charge.
pub const EXCEEDS_CHARGE: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:exceeds-charge",
    title: "The charge does not cover this refund",
    status: StatusCode::UNPROCESSABLE_ENTITY,
};
/// The account has not enough that is not held.
pub const INSUFFICIENT_CREDIT: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:insufficient-credit",
    title: "The account's credit does not cover this",
    status: StatusCode::PAYMENT_REQUIRED,
};
/// The account cannot take that much more.
pub const BALANCE_OVERFLOW: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:balance-overflow",
    title: "The account cannot take that much more",
    status: StatusCode::UNPROCESSABLE_ENTITY,
};
/// Others of the account took too long.
pub const OVERDUE: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:overdue",
    title: "The account is busy",
    status: StatusCode::SERVICE_UNAVAILABLE,
};
/// This process is about to end.
pub const FINISHED: OwnProblem = OwnProblem {
    uri: "tag:credit-ledger,2026:finished",
    title: "This instance takes no more charges",
    status: StatusCode::SERVICE_UNAVAILABLE,
};

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let kind = match error {
            // The guard's own.
            Error::Refused(refusal) => return refusal.into(),
            Error::Busy { until } => return fence_guard::Error::Busy { until }.into(),
            Error::Store(store) => return store.into(),
            // Of these the error itself names a balance.
            Error::NotEmpty { .. } => return Problem::own(NOT_EMPTY, "empty the account first"),
            Error::BelowFloor { .. } => return Problem::own(BELOW_FLOOR, "set a lower floor"),
            Error::InsufficientCredit { .. } => {
                let detail = "top the account up, or ask for less";
                return Problem::own(INSUFFICIENT_CREDIT, detail);
            }
            Error::BalanceOverflow { .. } => {
                return Problem::own(BALANCE_OVERFLOW, "ask for less");
            }
            Error::Mismatch { .. } => REQUEST_MISMATCH,
            Error::UnknownAccount => UNKNOWN_ACCOUNT,
            Error::FrozenAccount => FROZEN_ACCOUNT,
            Error::ClosedAccount => CLOSED_ACCOUNT,
            Error::UnknownHold => UNKNOWN_HOLD,
            Error::OtherResource => OTHER_RESOURCE,
            Error::HoldEnded { .. } => HOLD_ENDED,
            Error::ExceedsHold { .. } => EXCEEDS_HOLD,
            Error::UnknownCharge => UNKNOWN_CHARGE,
            Error::ExceedsCharge { .. } => EXCEEDS_CHARGE,
            Error::Overdue => OVERDUE,
            Error::Finished => FINISHED,
        };
        Problem::own(kind, error.to_string())
    }
}
