//! Fences and floors.

use fence::{Fence, FenceOutOfRange, Floor};
use proptest::prelude::*;

/// Any number, and often one around an end.
fn any_number() -> impl Strategy<Value = u64> {
    let end = 1_u64 << 62;
    prop_oneof![any::<u64>(), 0..3_u64, end - 3..end + 3, Just(u64::MAX)]
}

/// The digits of a number, or something that is almost that.
fn almost_digits() -> impl Strategy<Value = String> {
    prop_oneof![
        any_number().prop_map(|number| number.to_string()),
        "[-+ 0]?[0-9]{1,18}[ .e]?",
        "[0-9٣]{0,21}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn a_fence_is_a_number_from_one_to_below_two_to_the_sixty_second(number in any_number()) {
        let fence = Fence::new(number);
        prop_assert_eq!(fence.is_ok(), number != 0 && number >> 62 == 0);
        prop_assert_eq!(Floor::new(number).is_ok(), number >> 62 == 0);
        if let Ok(fence) = fence {
            prop_assert_eq!(fence.to_string().parse(), Ok(fence));
            prop_assert_eq!(Fence::try_from(fence.as_i64()), Ok(fence));
            prop_assert_eq!(fence.as_floor().to_string().parse(), Ok(fence.as_floor()));
        }
    }

    /// As Postgres hands it over.
    #[test]
    fn a_negative_number_is_neither(number in i64::MIN..0) {
        prop_assert_eq!(Fence::try_from(number), Err(FenceOutOfRange));
        prop_assert_eq!(Floor::try_from(number), Err(FenceOutOfRange));
    }

    #[test]
    fn only_what_is_written_is_read(text in almost_digits()) {
        if let Ok(fence) = text.parse::<Fence>() {
            prop_assert_eq!(fence.to_string(), &*text);
        }
        match text.parse::<Floor>() {
            Ok(floor) => prop_assert_eq!(floor.to_string(), text),
            Err(FenceOutOfRange) => {
                let number = text.parse::<u64>().ok().filter(|number| number.to_string() == text);
                prop_assert!(number.is_none_or(|number| number >> 62 != 0));
            }
        }
    }

    #[test]
    fn fences_are_ordered_as_their_numbers(one in any_number(), other in any_number()) {
        if let (Ok(left), Ok(right)) = (Fence::new(one), Fence::new(other)) {
            prop_assert_eq!(left.cmp(&right), one.cmp(&other));
        }
    }
}
