//! What is protected: a bounded, printable name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name that one lease and one fence protect, such as `user:7:dataset:42`.
///
/// 1 to 512 bytes of UTF-8 without control characters. Names are compared byte by byte: `é` written
/// as one code point and as two are two resources, so normalise before you come here if your users
/// type them. Cloning is cheap.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct Resource(Arc<str>);

impl Resource {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 512;

    /// Makes a resource of a name.
    ///
    /// # Errors
    /// [`InvalidResource`] if the name is empty, longer than [`Resource::MAX_BYTES`] or holds a
    /// control character (NUL and line breaks are control characters).
    pub fn new(name: impl AsRef<str>) -> Result<Resource, InvalidResource> {
        let name = name.as_ref();
        match name.len() {
            0 => return Err(InvalidResource::Empty),
            1..=Self::MAX_BYTES => {}
            bytes => return Err(InvalidResource::TooLong { bytes }),
        }
        match name.char_indices().find(|(_, c)| c.is_control()) {
            Some((at, _)) => Err(InvalidResource::ControlCharacter { at }),
            None => Ok(Resource(name.into())),
        }
    }

    /// Joins parts with `:`, so that different parts never make the same name.
    ///
    /// Plain concatenation lets (`a:b`, `c`) collide with (`a`, `b:c`). Here `%` and `:` inside a
    /// part are written `%25` and `%3A`.
    ///
    /// # Errors
    /// [`InvalidResource`] if the joined name is not a valid one.
    ///
    /// ```
    /// use fence::Resource;
    /// assert_eq!(Resource::from_parts(["user", "7"])?.as_str(), "user:7");
    /// assert_ne!(Resource::from_parts(["a:b", "c"])?, Resource::from_parts(["a", "b:c"])?);
    /// # Ok::<(), fence::InvalidResource>(())
    /// ```
    pub fn from_parts<P: AsRef<str>>(
        parts: impl IntoIterator<Item = P>,
    ) -> Result<Resource, InvalidResource> {
        let mut name = String::new();
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                name.push(':');
            }
            name.push_str(&part.as_ref().replace('%', "%25").replace(':', "%3A"));
        }
        Resource::new(name)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a name cannot be a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidResource {
    /// Nothing was named.
    #[error("a resource needs a name of at least one byte")]
    Empty,
    /// The name has more than [`Resource::MAX_BYTES`] bytes.
    #[error("a resource name has at most 512 bytes, this one has {bytes}")]
    TooLong {
        /// How many it has.
        bytes: usize,
    },
    /// The name holds a control character.
    #[error("a resource name holds no control character, this one has one at byte {at}")]
    ControlCharacter {
        /// Where, in bytes from the start.
        at: usize,
    },
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Resource {
    type Err = InvalidResource;

    fn from_str(name: &str) -> Result<Resource, InvalidResource> {
        Resource::new(name)
    }
}

impl TryFrom<String> for Resource {
    type Error = InvalidResource;

    fn try_from(name: String) -> Result<Resource, InvalidResource> {
        Resource::new(name)
    }
}

impl From<Resource> for String {
    fn from(resource: Resource) -> String {
        resource.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_bounded_and_printable() {
        assert_eq!(Resource::new(""), Err(InvalidResource::Empty));
        assert!(Resource::new("x".repeat(512)).is_ok());
        assert_eq!(
            Resource::new("x".repeat(513)),
            Err(InvalidResource::TooLong { bytes: 513 })
        );
        assert_eq!(
            Resource::new("x".repeat(1 << 20)),
            Err(InvalidResource::TooLong { bytes: 1 << 20 })
        );
        for (name, at) in [("a\0", 1), ("a\nb", 1), ("\u{7f}", 0), ("é\u{85}", 2)] {
            assert_eq!(
                Resource::new(name),
                Err(InvalidResource::ControlCharacter { at })
            );
        }
    }

    #[test]
    fn a_composed_and_a_decomposed_letter_are_two_resources() {
        assert_ne!(Resource::new("caf\u{e9}"), Resource::new("cafe\u{301}"));
    }

    #[test]
    fn joined_parts_never_collide() {
        let pairs = [
            ["a:b", "c"],
            ["a", "b:c"],
            ["a%3Ab", "c"],
            ["a", "b%3Ac"],
            ["a", ""],
            ["", "a"],
        ];
        for (i, left) in pairs.iter().enumerate() {
            for right in &pairs[i + 1..] {
                assert_ne!(Resource::from_parts(left), Resource::from_parts(right));
            }
        }
    }
}
