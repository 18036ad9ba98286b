//! What can go wrong: a refusal is an answer, a failure changed nothing, and a lost reply is unknown.

use fence::{MayRefuse, Refusal};
use time::OffsetDateTime;

use crate::blocked::Blocker;

/// Why a guarded call did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The guard turned the permit away. Final for this permit.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// An opening that the guard minted itself is unclosed and valid by the database's clock.
    #[error("the resource is opened by another holder until {until}; try again then")]
    Busy {
        /// When its validity ends.
        until: OffsetDateTime,
    },
    /// Writers in flight, or another opening, kept the resource locked for longer than
    /// [`GuardOptions::with_wait`](crate::GuardOptions::with_wait). Nothing has changed; try again, or end them.
    #[error("the resource stays locked by {}; try again, or end what holds it", list(.blockers))]
    Blocked {
        /// Who held it right after the wait; empty if they were gone by then, or if somebody locked the
        /// row by hand.
        blockers: Vec<Blocker>,
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

fn list(blockers: &[Blocker]) -> String {
    match blockers {
        [] => "sessions that are not to be seen any more".to_owned(),
        some => some
            .iter()
            .map(Blocker::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Error {
        Error::Store(error.into())
    }
}

/// What became of a call to Postgres that did not come back with an outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The call breaks a rule of the guard (SQLSTATE class `ZF`). Nothing was written; the caller is to
    /// be mended, so trying again does not help.
    #[error("{message} ({sqlstate})")]
    Misuse {
        /// `ZF001` isolation level, `ZF002` not first in its transaction, `ZF003` statements mixed up
        /// by a pooler, `ZF004` bad argument, `ZF005` a mark, an opening or an entry was touched by hand, `ZF006` a permit
        /// that the transaction was not admitted with, `ZF007` a row that a protected table refused
        /// ([`TriggerRefusal`](crate::TriggerRefusal) reads it where the `sqlx::Error` is at hand).
        sqlstate: String,
        /// What the guard said.
        message: String,
    },
    /// Postgres said no, or was never asked. Nothing was written; trying again is safe.
    #[error("nothing was written: {0}")]
    Failed(#[source] sqlx::Error),
    /// The reply was lost: applied or not, nobody knows. Every call here may be sent again with the
    /// same permit and request id; it never applies twice.
    #[error(
        "it is unknown whether this was applied, send it again with the same permit and request id: {0}"
    )]
    Unknown(#[source] sqlx::Error),
    /// Postgres answered with something that this version does not understand.
    #[error("the schema's functions answered {what}; is a newer version installed")]
    Foreign {
        /// What it answered.
        what: String,
    },
}

impl StoreError {
    /// Whether Postgres said no with this SQLSTATE: nothing was written.
    pub(crate) fn has_failed_with(&self, sqlstate: &str) -> bool {
        let StoreError::Failed(error) = self else {
            return false;
        };
        let answer = error.as_database_error();
        answer.and_then(|answer| answer.code()).as_deref() == Some(sqlstate)
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        let sqlstate = match &error {
            sqlx::Error::Database(answer) => answer.code(),
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Configuration(_) => {
                return StoreError::Failed(error);
            }
            // An answer came, and it is not one that this version can read.
            sqlx::Error::RowNotFound
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::ColumnIndexOutOfBounds { .. }
            | sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::TypeNotFound { .. }
            | sqlx::Error::Decode(_) => {
                return StoreError::Foreign {
                    what: format!("what it cannot read: {error}"),
                };
            }
            _ => return StoreError::Unknown(error),
        };
        match sqlstate.as_deref() {
            Some(code) if code.starts_with("ZF") => StoreError::Misuse {
                sqlstate: code.to_owned(),
                message: message_of(&error),
            },
            // The server ended the connection (57P…), lost it (08…), or does not know itself (40003):
            // it may have committed just before.
            Some(code) if code.starts_with("57P") || code.starts_with("08") || code == "40003" => {
                StoreError::Unknown(error)
            }
            _ => StoreError::Failed(error),
        }
    }
}

fn message_of(error: &sqlx::Error) -> String {
    error
        .as_database_error()
        .map_or_else(String::new, |answer| answer.message().to_owned())
}
