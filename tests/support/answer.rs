//! What came back: the guard's own words, and how to take a refusal out of a typed result.

use std::fmt::Debug;

use fence_guard::{Refusal, StoreError};
use uuid::Uuid;

/// What a function of the guard or the ledger answered, in its own words.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Answer {
    /// `opened`, `admitted`, `stale`, `applied` …
    pub outcome: String,
    /// The mark that the guard saw, where it says one.
    pub mark: Option<i64>,
    /// Who had opened that mark.
    pub mark_holder: Option<Uuid>,
}

/// A result that has to be a refusal by the guard.
pub trait MustRefuse {
    /// The refusal.
    ///
    /// # Panics
    /// When it is anything else.
    fn must_refuse(self) -> Refusal;
}

impl<T: Debug> MustRefuse for Result<T, fence_guard::Error> {
    fn must_refuse(self) -> Refusal {
        match self {
            Err(fence_guard::Error::Refused(refusal)) => refusal,
            other => panic!("the guard had to refuse, it answered {other:?}"),
        }
    }
}

impl<T: Debug> MustRefuse for Result<T, credit_ledger::Error> {
    fn must_refuse(self) -> Refusal {
        match self {
            Err(credit_ledger::Error::Refused(refusal)) => refusal,
            other => panic!("the guard had to refuse, the ledger answered {other:?}"),
        }
    }
}

/// The SQLSTATE of an error that Postgres answered with.
///
/// # Panics
/// When the call did not fail, or not by an answer of Postgres.
pub fn sqlstate<T: Debug>(result: Result<T, sqlx::Error>) -> String {
    let error = result.expect_err("Postgres had to raise an error");
    let code = error.as_database_error().and_then(|answer| answer.code());
    match code {
        Some(code) => code.into_owned(),
        None => panic!("Postgres had to raise an error, this is {error}"),
    }
}

/// The SQLSTATE of a misuse, as the typed clients hand it on.
///
/// # Panics
/// When it is anything else.
pub fn stored_sqlstate(error: &StoreError) -> &str {
    match error {
        StoreError::Misuse { sqlstate, .. } => sqlstate,
        other => panic!("the call had to be a misuse, it came to {other}"),
    }
}
