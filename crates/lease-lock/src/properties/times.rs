//! How long a lease is asked for. How long it is believed is asked in `trust.rs`.

use std::time::Duration;

use proptest::prelude::*;

use crate::{InvalidTtl, Ttl};

/// Any time, and often one around a whole number of milliseconds, or around the longest.
fn any_time() -> impl Strategy<Value = Duration> {
    let nanos = prop_oneof![Just(0_u32), Just(1), Just(999_999), 0..1_000_000_u32];
    let millis = prop_oneof![
        0..10_u64,
        0..100_000_u64,
        (1_u64 << 40) - 3..(1_u64 << 40) + 3,
        any::<u64>()
    ];
    (millis, nanos).prop_map(|(millis, nanos)| {
        Duration::from_millis(millis).saturating_add(Duration::from_nanos(nanos.into()))
    })
}

proptest! {
    /// C1: never zero, never shorter than asked for, and longer by less than a millisecond.
    #[test]
    fn c1_every_ttl_is_what_was_asked_for_rounded_up(asked in any_time()) {
        match Ttl::try_from(asked) {
            Ok(ttl) => {
                let more = ttl.as_duration().checked_sub(asked);
                prop_assert!(more.is_some_and(|more| more < Duration::from_millis(1)), "{ttl}");
                prop_assert!((1..=1 << 40).contains(&ttl.as_millis()));
            }
            Err(InvalidTtl::Zero) => prop_assert!(asked.is_zero()),
            Err(InvalidTtl::TooLong) => prop_assert!(asked > Ttl::MAX.as_duration()),
        }
    }
}
