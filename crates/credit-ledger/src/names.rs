//! What a request is made of: account, purpose, credits.

use std::fmt;
use std::str::FromStr;

/// The longest account name and purpose, in bytes.
const MAX_BYTES: usize = 512;

/// The name of a user account: 1 to 512 bytes of UTF-8 without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account(String);

/// What a charge or grant is for, in the words of the service: at most 512 bytes of UTF-8 without
/// control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Purpose(String);

/// A positive number of whole credits: 1 ≤ credits ≤ 2^63 − 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Credits(i64);

/// Why a text cannot be an account name or a purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidName {
    /// An account without a name.
    #[error("an account needs a name of at least one byte")]
    Empty,
    /// More than 512 bytes.
    #[error("account names and purposes have at most 512 bytes, this one has {bytes}")]
    TooLong {
        /// How many it has.
        bytes: usize,
    },
    /// A control character, such as NUL or a line break.
    #[error("account names and purposes hold no control character, this one has one at byte {at}")]
    ControlCharacter {
        /// Where, in bytes from the start.
        at: usize,
    },
}

/// A number of credits that cannot be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("credits are moved in whole numbers from 1 to 2^63 - 1, this is {0}")]
pub struct InvalidCredits(i128);

impl Account {
    /// Makes an account name.
    ///
    /// # Errors
    /// [`InvalidName`] if it is empty, too long or holds a control character.
    pub fn new(name: impl Into<String>) -> Result<Account, InvalidName> {
        match checked(name.into())? {
            name if name.is_empty() => Err(InvalidName::Empty),
            name => Ok(Account(name)),
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Purpose {
    /// Makes a purpose.
    ///
    /// # Errors
    /// [`InvalidName`] if it is too long or holds a control character.
    pub fn new(text: impl Into<String>) -> Result<Purpose, InvalidName> {
        checked(text.into()).map(Purpose)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Credits {
    /// Makes an amount.
    ///
    /// # Errors
    /// [`InvalidCredits`] unless 1 ≤ `credits` ≤ 2^63 − 1.
    pub fn new(credits: impl Into<i128>) -> Result<Credits, InvalidCredits> {
        let credits = credits.into();
        match i64::try_from(credits) {
            Ok(whole) if whole > 0 => Ok(Credits(whole)),
            _ => Err(InvalidCredits(credits)),
        }
    }

    /// The number of credits.
    pub fn get(self) -> i64 {
        self.0
    }
}

fn checked(text: String) -> Result<String, InvalidName> {
    if text.len() > MAX_BYTES {
        return Err(InvalidName::TooLong { bytes: text.len() });
    }
    match text.char_indices().find(|(_, c)| c.is_control()) {
        Some((at, _)) => Err(InvalidName::ControlCharacter { at }),
        None => Ok(text),
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Account {
    type Err = InvalidName;

    fn from_str(name: &str) -> Result<Account, InvalidName> {
        Account::new(name)
    }
}

impl FromStr for Purpose {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Purpose, InvalidName> {
        Purpose::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_name_is_bounded_and_printable() {
        assert_eq!(Account::new(""), Err(InvalidName::Empty));
        assert_eq!(
            Account::new("a\0b"),
            Err(InvalidName::ControlCharacter { at: 1 })
        );
        assert_eq!(
            Account::new("x".repeat(513)),
            Err(InvalidName::TooLong { bytes: 513 })
        );
        assert!(Account::new("o'brien \"x\"; drop table credit.entry --").is_ok());
        assert!(Purpose::new("").is_ok());
    }

    #[test]
    fn an_amount_is_a_positive_bigint() {
        for none in [0_i128, -1, i128::from(i64::MIN), i128::from(i64::MAX) + 1] {
            assert_eq!(Credits::new(none), Err(InvalidCredits(none)));
        }
        assert_eq!(Credits::new(i64::MAX).map(Credits::get), Ok(i64::MAX));
    }
}
