//! Who holds: the random identity of one acquisition.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The random identity of one acquisition; proves ownership to Redis and to the guard.
///
/// A fence says *which* acquisition, the holder says *whose*. Two acquisitions can bear one number
/// (a lagging Redis replica was promoted); they never share a holder.
///
/// Whoever knows the holder of a live lease, and reaches Redis or Postgres, can release it and write under it. So
/// it may stand in the logs and rows of the services that share those servers, and it is not told to anybody else:
/// not to a client, and not to the holder that it has overtaken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// A text that no holder is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a holder is a UUID in lower case with hyphens, 36 characters")]
pub struct InvalidHolder;

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Holder {
    type Err = InvalidHolder;

    /// Reads what [`Display`](fmt::Display) writes and nothing else, though a UUID has other spellings too.
    fn from_str(text: &str) -> Result<Holder, InvalidHolder> {
        let uuid = Uuid::try_parse(text).map_err(|_| InvalidHolder)?;
        let mut written = Uuid::encode_buffer();
        if uuid.hyphenated().encode_lower(&mut written) == text {
            Ok(Holder(uuid))
        } else {
            Err(InvalidHolder)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_spelling_that_is_written_is_read() {
        let text = "0d9c3f6e-7a51-4c8e-9b1f-2a64d0e8c7b5".to_owned();
        assert_eq!(text.parse::<Holder>().unwrap().to_string(), text);
        let other_spellings = [
            text.to_uppercase(),
            text.replace('-', ""),
            format!("{{{text}}}"),
            format!("urn:uuid:{text}"),
            format!(" {text}"),
            text[1..].to_owned(),
        ];
        for spelling in other_spellings {
            assert_eq!(spelling.parse::<Holder>(), Err(InvalidHolder), "{spelling}");
        }
    }
}
