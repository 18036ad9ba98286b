//! Where in Redis the leases and counters of one application live.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use fence::Resource;

use crate::bucket::Bucket;

/// What every key of one application starts with, such as `app:`.
///
/// 0 to 128 bytes of UTF-8 without braces (the hash tag of Redis Cluster is the bucket) and without
/// control characters. One guarded resource belongs to one prefix: two prefixes number it twice.
/// Cloning is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Prefix(Arc<str>);

impl Prefix {
    /// The longest prefix, in bytes.
    pub const MAX_BYTES: usize = 128;

    /// Makes a prefix of a text.
    ///
    /// # Errors
    /// [`InvalidPrefix`] if the text is longer than [`Prefix::MAX_BYTES`] or holds a brace or a
    /// control character.
    pub fn new(text: impl AsRef<str>) -> Result<Prefix, InvalidPrefix> {
        let text = text.as_ref();
        if text.len() > Self::MAX_BYTES {
            return Err(InvalidPrefix::TooLong { bytes: text.len() });
        }
        match text
            .char_indices()
            .find(|(_, c)| c.is_control() || matches!(c, '{' | '}'))
        {
            Some((at, _)) => Err(InvalidPrefix::Character { at }),
            None => Ok(Prefix(text.into())),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of a resource's lease, `<prefix>lease:{b17}:<resource>`, to look at by hand.
    pub fn lease_key(&self, resource: &Resource) -> String {
        self.keys(resource).lease().to_string()
    }

    /// The key of the counter that numbers a resource, `<prefix>fence:{b17}`, to look at by hand.
    ///
    /// Other resources share it. Deleting or lowering it makes the next acquisition ask for a floor.
    pub fn counter_key(&self, resource: &Resource) -> String {
        self.keys(resource).counter().to_string()
    }

    /// The key of the queue of those who wait for a resource, `<prefix>queue:{b17}:<resource>`, to
    /// look at by hand. It is there only while somebody waits.
    pub fn queue_key(&self, resource: &Resource) -> String {
        self.keys(resource).queue().to_string()
    }

    /// The resource whose lease has this key; `None` for any other key.
    pub(crate) fn resource_of(&self, lease_key: &str) -> Option<Resource> {
        let rest = lease_key.strip_prefix(self.as_str())?;
        let (_, resource) = rest.strip_prefix("lease:{")?.split_once("}:")?;
        resource.parse().ok()
    }

    pub(crate) fn keys<'a>(&'a self, resource: &'a Resource) -> Keys<'a> {
        let bucket = Bucket::of(resource);
        Keys {
            prefix: self,
            bucket,
            resource,
        }
    }
}

/// The three keys of a resource. They are written straight into a command, without a string between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys<'a> {
    prefix: &'a Prefix,
    bucket: Bucket,
    resource: &'a Resource,
}

impl Keys<'_> {
    pub(crate) fn lease(self) -> impl fmt::Display {
        fmt::from_fn(move |f| write!(f, "{}lease:{}:{}", self.prefix, self.bucket, self.resource))
    }

    pub(crate) fn queue(self) -> impl fmt::Display {
        fmt::from_fn(move |f| write!(f, "{}queue:{}:{}", self.prefix, self.bucket, self.resource))
    }

    pub(crate) fn counter(self) -> impl fmt::Display {
        fmt::from_fn(move |f| write!(f, "{}fence:{}", self.prefix, self.bucket))
    }

    /// Room for all of them, in bytes; a little too much does no harm.
    pub(crate) fn capacity(self) -> usize {
        3 * self.prefix.as_str().len() + 2 * self.resource.as_str().len() + 48
    }
}

/// Why a text cannot be a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidPrefix {
    /// The text has more than [`Prefix::MAX_BYTES`] bytes.
    #[error("a key prefix has at most 128 bytes, this one has {bytes}")]
    TooLong {
        /// How many it has.
        bytes: usize,
    },
    /// The text holds a brace or a control character.
    #[error("a key prefix holds no brace and no control character, this one has one at byte {at}")]
    Character {
        /// Where, in bytes from the start.
        at: usize,
    },
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Prefix {
    type Err = InvalidPrefix;

    fn from_str(text: &str) -> Result<Prefix, InvalidPrefix> {
        Prefix::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_has_no_braces_and_is_bounded() {
        assert!(Prefix::new("").is_ok());
        assert!(Prefix::new("x".repeat(128)).is_ok());
        let too_long = Err(InvalidPrefix::TooLong { bytes: 129 });
        assert_eq!(Prefix::new("x".repeat(129)), too_long);
        for (text, at) in [("a{b", 1), ("}", 0), ("a\n", 1)] {
            assert_eq!(Prefix::new(text), Err(InvalidPrefix::Character { at }));
        }
    }

    #[test]
    fn all_keys_carry_the_bucket_as_their_first_hash_tag() {
        let prefix = Prefix::new("app:").unwrap();
        let resource = "a}b{c".parse().unwrap();
        let tag = Bucket::of(&resource).to_string();
        assert_eq!(
            prefix.lease_key(&resource),
            format!("app:lease:{tag}:a}}b{{c")
        );
        assert_eq!(prefix.counter_key(&resource), format!("app:fence:{tag}"));
        assert_eq!(
            prefix.queue_key(&resource),
            format!("app:queue:{tag}:a}}b{{c")
        );
    }

    #[test]
    fn a_lease_key_leads_back_to_its_resource() {
        let prefix = Prefix::new("app:").unwrap();
        for name in ["r", "a}:b{c", "{b1}:x"] {
            let resource = name.parse().unwrap();
            let key = prefix.lease_key(&resource);
            assert_eq!(prefix.resource_of(&key), Some(resource));
        }
        assert_eq!(prefix.resource_of("app:fence:{b1}"), None);
        assert_eq!(prefix.resource_of("other:lease:{b1}:r"), None);
    }
}
