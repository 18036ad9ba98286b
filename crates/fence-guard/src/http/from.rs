//! What becomes which problem.

use std::time::Duration;

use fence::Refusal;
use time::OffsetDateTime;

use super::field_error::FieldError;
use super::permit::OtherResource;
use super::permits::NotCarried;
use super::problem::Problem;
use super::problem_type::ProblemType;
use crate::error::{Error, StoreError};
use crate::trigger_refusal::TriggerRefusal;

/// A moment in which a lock may have come free.
const SOON: Duration = Duration::from_secs(1);

/// Nobody is told to come back later than this: the opening may be closed long before its time.
const LATEST: Duration = Duration::from_secs(60);

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Busy { until } => {
                let detail = "the resource is opened by another holder; try again later";
                Problem::new(ProblemType::Busy, detail).after(seconds_until(until))
            }
            Error::Blocked { .. } => {
                let detail =
                    "writes in flight keep the resource locked, nothing was written; try again";
                Problem::new(ProblemType::Blocked, detail)
                    .after(SOON)
                    .because(error)
            }
            Error::Store(store) => store.into(),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        Problem::refused(&refusal)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let (kind, detail) = match &error {
            StoreError::Failed(failed) if may_pass(failed) => (
                ProblemType::Unavailable,
                "nothing was written, because the database did not take it; try again",
            ),
            StoreError::Unknown(_) => (
                ProblemType::Unknown,
                "the database's reply was lost, so this may have been applied; look, or send it again with the same request id",
            ),
            StoreError::Failed(_) | StoreError::Misuse { .. } | StoreError::Foreign { .. } => (
                ProblemType::Internal,
                "nothing was written, and trying again does not help; the service's log says more",
            ),
        };
        Problem::new(kind, detail).because(error.into())
    }
}

/// A statement in a guarded transaction; it may have been refused by the trigger of a protected table.
impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Problem {
        match TriggerRefusal::of(&error).and_then(|refused| refused.refusal()) {
            Some(refusal) => refusal.into(),
            None => StoreError::from(error).into(),
        }
    }
}

impl From<FieldError> for Problem {
    fn from(error: FieldError) -> Problem {
        let kind = match error {
            FieldError::Missing => ProblemType::PermitMissing,
            _ => ProblemType::PermitMalformed,
        };
        Problem::new(kind, error.to_string())
    }
}

impl From<NotCarried> for Problem {
    fn from(error: NotCarried) -> Problem {
        Problem::new(ProblemType::OtherResource, error.to_string())
    }
}

impl From<OtherResource> for Problem {
    fn from(error: OtherResource) -> Problem {
        Problem::new(ProblemType::OtherResource, error.to_string())
    }
}

/// Classes of SQLSTATEs, and single ones, after which the same call may succeed later: Postgres was short of something
/// (53), of time (55, 57) or of luck (40), or one of these of class 25.
const MAY_PASS: [&str; 7] = [
    "40", "53", "55", "57",
    // It takes no writes: a primary that was demoted, whose successor will, or a standby about to be promoted.
    "25006",
    // The transaction was ended: for standing still (`idle_in_transaction_session_timeout`), or as a whole
    // (`transaction_timeout`, whose clock Postgres stops before it commits). Nothing of it was written.
    "25P03", "25P04",
];

/// Whether the same call may succeed later: nothing answered, or what Postgres said passes. What else it says no to, it
/// will say no to again.
fn may_pass(error: &sqlx::Error) -> bool {
    match error.as_database_error() {
        Some(answer) => answer
            .code()
            .is_some_and(|code| MAY_PASS.iter().any(|class| code.starts_with(class))),
        None => true,
    }
}

/// Whole seconds, rounded up, at least one. By this host's clock against the database's: it is a hint.
fn seconds_until(until: OffsetDateTime) -> Duration {
    let left = Duration::try_from(until - OffsetDateTime::now_utc()).unwrap_or_default();
    let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
    Duration::from_secs(seconds).clamp(SOON, LATEST)
}
