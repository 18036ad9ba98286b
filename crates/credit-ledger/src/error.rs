//! Why a request was not applied.

use fence::{MayRefuse, Refusal};
use fence_guard::StoreError;
use sqlx::types::time::OffsetDateTime;

use crate::hold_state::HoldState;

/// Why a request was not applied, in the order in which the ledger looks: an earlier call, the guard,
/// the account, the hold or the charge, the credit. None of these uses up the request id.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request id was used before, for something else.
    #[error(
        "this request id was used before with another {field}, take a new id for a new request"
    )]
    Mismatch {
        /// The first field that differs: operation, account, hold, charge, amount, purpose, resource or expires_in.
        field: String,
    },
    /// The guard turned the write away; it is kept as a row.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// An opening that the guard minted itself is unclosed and valid by the database's clock; only
    /// [`Ledger::charge_once`](crate::Ledger::charge_once) opens, and can be told so.
    #[error("the resource is opened by another holder until {until}; try again then")]
    Busy {
        /// When its validity ends.
        until: OffsetDateTime,
    },
    /// There is no user account of that name.
    #[error("there is no account of that name, open it first")]
    UnknownAccount,
    /// Nothing is taken out of the account until it is unfrozen.
    #[error("the account is frozen, unfreeze it first")]
    FrozenAccount,
    /// The account was closed for good.
    #[error("the account is closed, open another one")]
    ClosedAccount,
    /// The account cannot be closed with this in it.
    #[error(
        "the account still has a balance of {balance} credits, {held} of them held; empty it first"
    )]
    NotEmpty {
        /// Its balance.
        balance: i64,
        /// What of it is held.
        held: i64,
    },
    /// The floor cannot be set above what the account has.
    #[error(
        "the account has {balance} credits, {held} of them held, and would be below that floor"
    )]
    BelowFloor {
        /// Its balance.
        balance: i64,
        /// What of it is held.
        held: i64,
    },
    /// No hold was made under that request id.
    #[error("there is no hold of that request id, make it first")]
    UnknownHold,
    /// The hold was made under another resource than the one that was opened.
    #[error("the hold was made under another resource, open that one")]
    OtherResource,
    /// The hold has ended already; it does so once.
    #[error("the hold is {state} already, make a new one")]
    HoldEnded {
        /// How.
        state: HoldState,
        /// The number of its end, in the one sequence of openings, closes and guarded entries.
        seq: i64,
        /// When that was written, by the database's clock. Void and expired holds are so before somebody writes it.
        at: OffsetDateTime,
    },
    /// More was to be captured than is held.
    #[error("the hold is of {held} credits and covers no more, capture at most these")]
    ExceedsHold {
        /// What is held.
        held: i64,
    },
    /// No charge was made under that request id.
    #[error("there is no charge of that request id, nothing to refund")]
    UnknownCharge,
    /// More was to be refunded than is left of the charge.
    #[error("{left} credits of this charge can still be refunded, no more")]
    ExceedsCharge {
        /// What was charged, without what was refunded already.
        left: i64,
    },
    /// It would take the account below its floor.
    #[error("the balance of {balance} credits, {held} of them held, does not cover this")]
    InsufficientCredit {
        /// What the account has.
        balance: i64,
        /// What of it is held.
        held: i64,
    },
    /// It would take the account above 2^63 − 1.
    #[error("the balance of {balance} credits cannot take that much more")]
    BalanceOverflow {
        /// What the account has.
        balance: i64,
    },
    /// The charge has waited in the [`Coalescer`](crate::Coalescer) behind others of its account for as long as a charge
    /// waits for a lock; nothing was sent for it.
    #[error(
        "others of this account before it took too long, and nothing was sent for it, try again"
    )]
    Overdue,
    /// The [`Coalescer`](crate::Coalescer) takes no more charges; nothing was sent.
    #[error(
        "no more charges are taken here, this process is about to end; send the request to another"
    )]
    Finished,
    /// Postgres did not answer, or answered with an error.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayRefuse for Error {
    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Error::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Error {
        Error::Store(error.into())
    }
}
