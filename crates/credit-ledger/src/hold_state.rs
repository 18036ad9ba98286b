//! How a hold stands.

use std::fmt;
use std::str::FromStr;

/// How a hold stands: open, or the one way in which it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HoldState {
    /// Its credits are set aside.
    Open,
    /// It was charged, or a part of it; the rest is free again.
    Captured,
    /// It was given back by whoever had the resource open.
    Released,
    /// Its time is over, by the database's clock.
    Expired,
    /// Another opening has replaced the one that it was made under, and that had not been closed.
    Void,
}

impl HoldState {
    /// The word that the ledger's SQL uses: `open`, `captured`, `released`, `expired`, `void`.
    pub const fn as_str(self) -> &'static str {
        match self {
            HoldState::Open => "open",
            HoldState::Captured => "captured",
            HoldState::Released => "released",
            HoldState::Expired => "expired",
            HoldState::Void => "void",
        }
    }
}

impl fmt::Display for HoldState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that says of no hold how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hold is open, captured, released, expired or void")]
pub struct UnknownHoldState;

impl FromStr for HoldState {
    type Err = UnknownHoldState;

    fn from_str(word: &str) -> Result<HoldState, UnknownHoldState> {
        [
            HoldState::Open,
            HoldState::Captured,
            HoldState::Released,
            HoldState::Expired,
            HoldState::Void,
        ]
        .into_iter()
        .find(|state| state.as_str() == word)
        .ok_or(UnknownHoldState)
    }
}

impl TryFrom<String> for HoldState {
    type Error = UnknownHoldState;

    fn try_from(word: String) -> Result<HoldState, UnknownHoldState> {
        word.parse()
    }
}
