//! What becomes which problem.

use std::time::Duration;

use credit_ledger::StoreError;
use fence_guard::http::ProblemType;
use fenced_section::EnterError;

use super::{Problem, SOON};

/// The guard's crate knows which failures of Postgres may pass; that judgement is taken over from its problems.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let text = error.to_string();
        if takes_no_writes(&error) {
            return Problem::Unavailable {
                what: "a Postgres that takes writes",
                cause: text.into(),
            };
        }
        match fence_guard::http::Problem::from(error).kind() {
            ProblemType::Unknown => Problem::Unknown(text.into()),
            ProblemType::Unavailable => Problem::Unavailable {
                what: "Postgres",
                cause: text.into(),
            },
            _ => Problem::internal(text),
        }
    }
}

/// Whether it is a standby, or was set to read only: a failover or a full disk, which passes.
fn takes_no_writes(error: &StoreError) -> bool {
    const READ_ONLY: &str = "25006";
    let StoreError::Failed(error) = error else {
        return false;
    };
    let answer = error.as_database_error();
    answer.and_then(|answer| answer.code()).as_deref() == Some(READ_ONLY)
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Problem {
        StoreError::from(error).into()
    }
}

impl From<fence_guard::Error> for Problem {
    fn from(error: fence_guard::Error) -> Problem {
        EnterError::from(error).into()
    }
}

impl From<EnterError> for Problem {
    fn from(error: EnterError) -> Problem {
        match error {
            EnterError::Held { remaining, .. } => Problem::InFlight {
                retry_after: remaining,
            },
            EnterError::Contended(_) | EnterError::Blocked { .. } => {
                Problem::InFlight { retry_after: SOON }
            }
            EnterError::Busy { until } => {
                // By this host's clock against the database's: a hint.
                let left = until - sqlx::types::time::OffsetDateTime::now_utc();
                Problem::InFlight {
                    retry_after: Duration::try_from(left).unwrap_or(SOON),
                }
            }
            EnterError::Lost(lost) => Problem::LeaseLost(lost),
            EnterError::Refused(refusal) => Problem::Overtaken(refusal),
            EnterError::Postgres(error) => error.into(),
            EnterError::Redis(cause) => Problem::Unavailable {
                what: "Redis",
                cause: cause.into(),
            },
            other => Problem::internal(other),
        }
    }
}
