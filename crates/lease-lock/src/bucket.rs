//! Which fence counter numbers a resource.

use std::fmt;

use fence::Resource;

/// How many counters there are. A published constant: every client must use the same.
const BUCKETS: u32 = 1024;

/// The bucket whose counter numbers a resource: CRC-32/ISO-HDLC of its UTF-8 bytes, modulo 1024.
///
/// A counter per resource would have to be kept for ever, since one that is forgotten starts again.
/// Shared counters bound the memory and still strictly grow for each resource; they only skip
/// numbers. The bucket is also the hash tag of both keys, so that Redis Cluster keeps a lease and
/// its counter in one slot whatever braces the resource's name has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Bucket(u32);

impl Bucket {
    pub(crate) fn of(resource: &Resource) -> Bucket {
        Bucket(crc32fast::hash(resource.as_str().as_bytes()) % BUCKETS)
    }
}

/// The hash tag, such as `{b17}`.
impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{b{}}}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(name: &str) -> String {
        Bucket::of(&name.parse().unwrap()).to_string()
    }

    /// A client in another language agrees with this one if it agrees with these vectors.
    #[test]
    fn the_bucket_is_the_published_checksum_modulo_1024() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(bucket("123456789"), "{b294}");
        assert_eq!(bucket("user:7:dataset:42"), "{b77}");
        assert_eq!(bucket("caf\u{e9}"), "{b693}");
        assert_eq!(bucket("}"), "{b524}");
    }
}
