//! Why a scenario came to an end before its last line.

use super::error::KitError;
use super::outcome::Rejected;
use super::report::Verdict;
use super::rule::Rule;

/// The scenario is over: a rule was broken, or it cannot be played.
pub(super) enum Stop {
    Broken(Rule, String),
    Unplayed(String),
    Kit(sqlx::Error),
}

impl Stop {
    pub(super) fn broken<T>(rule: Rule, seen: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Broken(rule, seen.into()))
    }

    pub(super) fn unplayed<T>(why: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Unplayed(why.into()))
    }

    pub(super) fn verdict(self) -> Result<Verdict, KitError> {
        match self {
            Stop::Broken(rule, seen) => Ok(Verdict::Broken { rule, seen }),
            Stop::Unplayed(why) => Ok(Verdict::Unplayed { why }),
            Stop::Kit(error) => Err(error.into()),
        }
    }
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Stop {
        Stop::Kit(error)
    }
}

/// What an attempt came to, as the end of a sentence that begins with it.
pub(super) fn told<T>(outcome: &Result<T, Rejected>) -> String {
    match outcome {
        Ok(_) => "succeeded".to_owned(),
        Err(Rejected::Refused(reason)) => format!("was refused as {reason}"),
        Err(Rejected::Failed(_)) => "failed with an error".to_owned(),
    }
}
