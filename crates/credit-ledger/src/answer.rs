//! What the ledger's functions answer, read into types.

use fence::{Floor, Holder, Permit, Reason, Refusal};
use fence_guard::StoreError;
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Error;
use crate::hold_state::HoldState;

/// An entry that a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The entry's number, in the one sequence of openings, closes and guarded entries.
    pub seq: i64,
    /// When it was written, by the database's clock.
    pub at: OffsetDateTime,
    /// The account's balance after the entry.
    pub balance_after: i64,
    /// Whether an earlier call with the same request id had written it.
    pub replayed: bool,
}

/// A hold that a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// The hold's number, in the one sequence of openings, closes and guarded entries.
    pub seq: i64,
    /// When it was made, by the database's clock.
    pub at: OffsetDateTime,
    /// From when on it can no longer be captured, by that clock.
    pub expires_at: OffsetDateTime,
    /// Whether an earlier call with the same request id had made it.
    pub replayed: bool,
    /// How it stands. A replayed one may have ended; it is not made again under its request id.
    pub state: HoldState,
}

/// A release that a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Released {
    /// Its number, in the one sequence of openings, closes and guarded entries.
    pub seq: i64,
    /// When it was written, by the database's clock.
    pub at: OffsetDateTime,
    /// Whether an earlier call with the same request id had written it.
    pub replayed: bool,
}

/// What [`Ledger::charge_once`](crate::Ledger::charge_once) came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Once {
    /// This request has charged, now or in an earlier call.
    Charged(Applied),
    /// Another request had charged for the purpose; nothing was charged now.
    AlreadyCharged {
        /// The number of that entry, the first of them.
        seq: i64,
        /// When it was written, by the database's clock.
        at: OffsetDateTime,
    },
}

/// `credit.result`, as the SQL functions answer it.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct Answer {
    outcome: String,
    replayed: Option<bool>,
    field: Option<String>,
    seq: Option<i64>,
    at: Option<OffsetDateTime>,
    balance_after: Option<i64>,
    held: Option<i64>,
    allowed: Option<i64>,
    until: Option<OffsetDateTime>,
    state: Option<String>,
    mark: Option<i64>,
    mark_holder: Option<Uuid>,
}

impl Answer {
    /// An entry, or why there is none. `permit` is what was shown, where the verb takes one.
    pub(crate) fn applied(self, permit: Option<&Permit>) -> Result<Applied, Error> {
        match (self.outcome.as_str(), self.seq, self.at, self.balance_after) {
            ("applied", Some(seq), Some(at), Some(balance_after)) => Ok(Applied {
                seq,
                at,
                balance_after,
                replayed: self.replayed.unwrap_or(false),
            }),
            _ => Err(self.why_not(permit)),
        }
    }

    pub(crate) fn once(self, permit: &Permit) -> Result<Once, Error> {
        match (self.outcome.as_str(), self.seq, self.at) {
            ("already charged", Some(seq), Some(at)) => Ok(Once::AlreadyCharged { seq, at }),
            _ => self.applied(Some(permit)).map(Once::Charged),
        }
    }

    pub(crate) fn held(self, permit: &Permit) -> Result<Held, Error> {
        let state = self.state.as_deref().map(str::parse);
        match (
            self.outcome.as_str(),
            self.seq.zip(self.at),
            self.until,
            state,
        ) {
            ("applied", Some((seq, at)), Some(expires_at), Some(Ok(state))) => Ok(Held {
                seq,
                at,
                expires_at,
                state,
                replayed: self.replayed.unwrap_or(false),
            }),
            _ => Err(self.why_not(Some(permit))),
        }
    }

    pub(crate) fn released(self, permit: &Permit) -> Result<Released, Error> {
        match (self.outcome.as_str(), self.seq, self.at) {
            ("applied", Some(seq), Some(at)) => Ok(Released {
                seq,
                at,
                replayed: self.replayed.unwrap_or(false),
            }),
            _ => Err(self.why_not(Some(permit))),
        }
    }

    /// Whether an account was changed, or was so already.
    pub(crate) fn changed(self) -> Result<bool, Error> {
        match self.outcome.as_str() {
            "changed" => Ok(true),
            "unchanged" => Ok(false),
            _ => Err(self.why_not(None)),
        }
    }

    fn why_not(self, permit: Option<&Permit>) -> Error {
        let balance = self.balance_after.unwrap_or(0);
        let held = self.held.unwrap_or(0);
        match (self.outcome.as_str(), self.allowed, self.until) {
            ("request mismatch", ..) => Error::Mismatch {
                field: self.field.unwrap_or_default(),
            },
            ("busy", _, Some(until)) => Error::Busy { until },
            ("unknown account", ..) => Error::UnknownAccount,
            ("frozen account", ..) => Error::FrozenAccount,
            ("closed account", ..) => Error::ClosedAccount,
            ("not empty", ..) => Error::NotEmpty { balance, held },
            ("below floor", ..) => Error::BelowFloor { balance, held },
            ("unknown hold", ..) => Error::UnknownHold,
            ("other resource", ..) => Error::OtherResource,
            ("exceeds hold", Some(held), _) => Error::ExceedsHold { held },
            ("unknown charge", ..) => Error::UnknownCharge,
            ("exceeds charge", Some(left), _) => Error::ExceedsCharge { left },
            ("insufficient credit", ..) => Error::InsufficientCredit { balance, held },
            ("balance overflow", ..) => Error::BalanceOverflow { balance },
            _ => self.refused_or_foreign(permit),
        }
    }

    fn refused_or_foreign(self, permit: Option<&Permit>) -> Error {
        if let Some(ended) = self.hold_ended() {
            return ended;
        }
        match permit.and_then(|permit| self.refusal(permit)) {
            Some(refusal) => refusal.into(),
            None => StoreError::Foreign {
                what: format!("{:?}", self.outcome),
            }
            .into(),
        }
    }

    fn hold_ended(&self) -> Option<Error> {
        Some(Error::HoldEnded {
            state: self.outcome.strip_prefix("hold ")?.parse().ok()?,
            seq: self.seq?,
            at: self.at?,
        })
    }

    fn refusal(&self, permit: &Permit) -> Option<Refusal> {
        let reason: Reason = self.outcome.parse().ok()?;
        let mark = Floor::try_from(self.mark?).ok()?;
        Some(Refusal::new(
            permit.clone(),
            reason,
            mark,
            self.mark_holder.map(Holder::from_uuid),
        ))
    }
}
