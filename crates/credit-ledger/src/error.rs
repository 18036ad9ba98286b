//! Why a request was not applied.

use fence::{MayRefuse, Refusal};
use fence_guard::StoreError;

/// Why a request was not applied, in the order in which the ledger looks: an earlier call, the guard,
/// the account, its credit. None of these uses up the request id.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request id was used before, for something else.
    #[error(
        "this request id was used before with another {field}, take a new id for a new request"
    )]
    Mismatch {
        /// The first field that differs: operation, account, amount, purpose or resource.
        field: String,
    },
    /// The guard turned the write away; it is kept as a row.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no user account of that name.
    #[error("there is no account of that name, open it first")]
    UnknownAccount,
    /// The charge would take the account below its floor.
    #[error("the balance of {balance} credits does not cover this charge")]
    InsufficientCredit {
        /// What the account has.
        balance: i64,
    },
    /// The grant would take the account above 2^63 − 1.
    #[error("the balance of {balance} credits cannot hold this grant")]
    BalanceOverflow {
        /// What the account has.
        balance: i64,
    },
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
