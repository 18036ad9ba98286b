//! Users and datasets, as they stand in a path.

use std::fmt;
use std::str::FromStr;

use credit_ledger::{Account, InvalidName};
use fenced_section::Resource;

/// The longest id, in bytes.
const MAX_BYTES: usize = 64;

/// The id of a user or a dataset: 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
///
/// Narrower than what resources and accounts may be called, so that an id needs no escapes in any of a path, a
/// log, a resource and a shell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Id(String);

/// Why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id has 1 to {MAX_BYTES} ASCII letters, digits, '-', '_' and '.'")]
pub struct InvalidId;

impl Id {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Id {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Id, InvalidId> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        match text.len() {
            1..=MAX_BYTES if text.bytes().all(is_plain) => Ok(Id(text.to_owned())),
            _ => Err(InvalidId),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What one query of a dataset is fenced by: everybody who decides about it names the same resource.
pub(crate) fn resource(user: &Id, dataset: &Id) -> Resource {
    Resource::from_parts(["user", user.as_str(), "dataset", dataset.as_str()])
        .expect("two ids are short and plain enough for a name")
}

/// The account that a user pays from.
///
/// # Errors
/// Never for an id; the ledger has the last word on names.
pub(crate) fn account(user: &Id) -> Result<Account, InvalidName> {
    Account::new(format!("user:{user}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_short_and_plain() {
        for id in ["7", "a-b_c.d", &"x".repeat(64)] {
            assert_eq!(id.parse::<Id>().unwrap().as_str(), id);
        }
        for none in ["", "a b", "a:b", "é", "a\0", "a/b", "a%", &"x".repeat(65)] {
            assert_eq!(none.parse::<Id>(), Err(InvalidId), "{none:?}");
        }
    }

    #[test]
    fn a_query_is_fenced_by_its_user_and_its_dataset() {
        let name = resource(&"7".parse().unwrap(), &"42".parse().unwrap());
        assert_eq!(name.as_str(), "user:7:dataset:42");
    }
}
