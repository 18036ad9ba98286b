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
/// A number is drawn before its row is committed. Whoever has taken [`last_seq`](Horizon::last_seq) and
/// [`in_flight`](Horizon::in_flight) from one horizon asks later ones whether [`all have ended`](Horizon::have_ended): then
/// what is read after that lacks no row at or below `last_seq`.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[non_exhaustive]
pub struct Horizon {
    /// The number that was drawn last; 0 before the first.
    pub last_seq: i64,
    /// The transactions that may have drawn it, or one before it, and have not ended: names that only another horizon
    /// understands.
    pub in_flight: Vec<String>,
    /// Whether those are all: not while one is prepared, and not on a standby.
    pub is_whole: bool,
}

impl Horizon {
    /// A horizon that was read elsewhere.
    pub fn new(last_seq: i64, in_flight: Vec<String>, is_whole: bool) -> Horizon {
        Horizon {
            last_seq,
            in_flight,
            is_whole,
        }
    }

    /// Whether all of these transactions, which were in flight at an earlier horizon, have ended by this one. If that cannot
    /// be told, they have not.
    pub fn have_ended(&self, earlier: &[String]) -> bool {
        self.is_whole && earlier.iter().all(|name| !self.in_flight.contains(name))
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
        let query = "select last_seq, in_flight, is_whole from fence.horizon()";
        self.store().call(sqlx::query_as(query)).await
    }
}
