//! Buckets, prefixes and keys.

use proptest::prelude::*;

use super::any_resource;
use crate::bucket::Bucket;
use crate::{InvalidPrefix, Prefix};

/// CRC-32/ISO-HDLC as its definition has it, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let shift = |crc: u32| (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
    let all = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| shift(crc))
    });
    !all
}

/// A prefix, or something that is almost one.
fn almost_a_prefix() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        8 => prop::char::range(' ', '~'),
        1 => prop::sample::select(vec!['{', '}', '\n', '\u{85}', 'é']),
    ];
    prop::collection::vec(one, 0..140).prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn the_bucket_of_every_name_is_the_checksum_of_its_bytes(resource in any_resource()) {
        let expected = crc32(resource.as_str().as_bytes()) % 1024;
        prop_assert_eq!(Bucket::of(&resource).to_string(), format!("{{b{expected}}}"));
    }

    /// A text has a brace or a control character at the place that the error tells, or is too long, or is taken.
    #[test]
    fn a_prefix_is_short_and_has_no_brace(text in almost_a_prefix()) {
        let wrong = |c: char| c.is_control() || c == '{' || c == '}';
        let expected = match (text.len(), text.find(wrong)) {
            (129.., _) => Err(InvalidPrefix::TooLong { bytes: text.len() }),
            (_, Some(at)) => Err(InvalidPrefix::Character { at }),
            _ => Ok(text.clone()),
        };
        prop_assert_eq!(Prefix::new(&text).map(|prefix| prefix.to_string()), expected);
    }

    /// Redis Cluster hashes what stands between the first brace and the next: the bucket, in all three keys.
    #[test]
    fn all_keys_of_every_name_are_in_the_slot_of_its_bucket(text in almost_a_prefix(), resource in any_resource()) {
        let Ok(prefix) = Prefix::new(text) else {
            return Ok(());
        };
        let tag = Bucket::of(&resource).to_string();
        for key in [prefix.lease_key(&resource), prefix.counter_key(&resource), prefix.queue_key(&resource)] {
            let open = key.find('{').expect("a tag");
            let close = open + key[open..].find('}').expect("its end");
            prop_assert_eq!(&key[open..=close], &tag);
        }
    }

    #[test]
    fn every_lease_key_leads_back_to_its_resource(text in almost_a_prefix(), resource in any_resource()) {
        if let Ok(prefix) = Prefix::new(text) {
            prop_assert_eq!(prefix.resource_of(&prefix.lease_key(&resource)), Some(resource));
        }
    }

    #[test]
    fn whatever_is_no_lease_key_leads_to_no_panic(prefix in almost_a_prefix(), key in any::<String>()) {
        if let Ok(prefix) = Prefix::new(prefix) {
            let tail = key.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with("lease:{"));
            prop_assert!(prefix.resource_of(&key).is_none() || tail);
        }
    }
}
