//! What an operator asks of an installed guard: how it can be gone around, which functions it has, how far its numbers are.

use crate::error::StoreError;
use crate::guard::Guard;

/// The channel on which Postgres tells of each new refusal and each takeover: `refusal <seq>`, `takeover <seq>`.
///
/// Whoever hears one reads the row. Any role may send on any channel, so what is heard is a reason to look, and no more.
pub const CHANNEL: &str = "fence";

/// Who or what could write around the guard. A fact to judge, not a fault: the owner is always among them.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[non_exhaustive]
pub struct BypassRow {
    /// `owner`, `superuser`, `table privilege`, `trigger`, `setting` …: the head of `fence.bypass` lists them.
    pub kind: String,
    /// The role, the trigger, the setting.
    pub subject: String,
    /// What it may do, or what is wrong with it.
    pub finding: String,
}

/// A set of functions that is installed.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[non_exhaustive]
pub struct VersionRow {
    /// `fence`, and what is installed beside it.
    pub schema_name: String,
    /// Raised with every change of a function.
    pub functions_version: i32,
    /// Tells apart two sets of one version; as [`Schema::functions_digest`](crate::Schema::functions_digest).
    pub functions_digest: String,
}

/// How far numbers and transactions were at one moment: for whoever follows rows by their numbers.
///
/// Take [`last_seq`](Horizon::last_seq) from one, and [`upcoming`](Horizon::upcoming) from a later one. As soon as
/// [`oldest`](Horizon::oldest) is not below that, no row at or below `last_seq` is in flight any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
#[non_exhaustive]
pub struct Horizon {
    /// The number that was drawn last; 0 before the first.
    pub last_seq: i64,
    /// The oldest transaction in flight.
    pub oldest: i64,
    /// The next transaction to begin is this one, or a later one.
    pub upcoming: i64,
}

impl Horizon {
    /// A horizon that was read elsewhere.
    pub fn new(last_seq: i64, oldest: i64, upcoming: i64) -> Horizon {
        Horizon {
            last_seq,
            oldest,
            upcoming,
        }
    }
}

impl Guard {
    /// Who and what could write around the guard.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn bypass(&self) -> Result<Vec<BypassRow>, StoreError> {
        let query = "select kind, subject, finding from fence.bypass()";
        self.store().read(sqlx::query_as(query)).await
    }

    /// Which sets of functions are installed.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer, also where the guard is not installed.
    pub async fn versions(&self) -> Result<Vec<VersionRow>, StoreError> {
        let query = "select schema_name, functions_version, functions_digest from fence.versions()";
        self.store().read(sqlx::query_as(query)).await
    }

    /// How far numbers and transactions are.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn horizon(&self) -> Result<Horizon, StoreError> {
        let query = "select last_seq, oldest, upcoming from fence.horizon()";
        self.store().call(sqlx::query_as(query)).await
    }
}
