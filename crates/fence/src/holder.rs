//! Who holds: the random identity of one acquisition.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The random identity of one acquisition; proves ownership to Redis and to the guard.
///
/// A fence says *which* acquisition, the holder says *whose*. Two acquisitions can bear one number
/// (a lagging Redis replica was promoted); they never share a holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Holder(Uuid);

impl Holder {
    /// A new identity (UUID version 4, 122 random bits).
    pub fn random() -> Holder {
        Holder(Uuid::new_v4())
    }

    /// Takes an identity that came from elsewhere: from a row, a header, another process.
    pub const fn from_uuid(uuid: Uuid) -> Holder {
        Holder(uuid)
    }

    /// The identity as a UUID.
    pub const fn as_uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Holder {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Holder, uuid::Error> {
        text.parse().map(Holder)
    }
}
