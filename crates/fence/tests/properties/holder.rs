//! Holders.

use fence::Holder;
use proptest::prelude::*;

/// The text of a holder with one byte replaced, or any text.
fn almost_a_holder() -> impl Strategy<Value = String> {
    let byte = prop_oneof![prop::char::range('0', 'z'), Just('-'), Just('A'), Just('é')];
    let changed = (any::<u128>(), 0..36_usize, byte).prop_map(|(bits, at, c)| {
        let mut text: Vec<char> = uuid::Uuid::from_u128(bits).to_string().chars().collect();
        text[at] = c;
        String::from_iter(text)
    });
    let spelled = any::<u128>().prop_map(|bits| uuid::Uuid::from_u128(bits).simple().to_string());
    prop_oneof![4 => changed, 1 => spelled, 1 => any::<String>()]
}

proptest! {
    #[test]
    fn every_holder_is_read_as_it_was_written(bits in any::<u128>()) {
        let holder = Holder::from_uuid(uuid::Uuid::from_u128(bits));
        prop_assert_eq!(holder.to_string().parse(), Ok(holder));
    }

    #[test]
    fn only_the_one_spelling_is_read(text in almost_a_holder()) {
        let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        let at_hyphens = |at: usize| matches!(at, 8 | 13 | 18 | 23);
        let mut chars = text.chars().enumerate();
        let is_one = text.len() == 36 && chars.all(|(at, c)| if at_hyphens(at) { c == '-' } else { hex(c) });
        prop_assert_eq!(text.parse::<Holder>().is_ok(), is_one, "{}", text);
    }
}
