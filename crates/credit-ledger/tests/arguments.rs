//! What must hold for every account, purpose and amount, tried with those that nobody would think of.
//!
//! `PROPTEST_CASES` says how many of each; 256 where it says nothing.

use credit_ledger::{Account, Credits, Purpose, RequestId};
use proptest::prelude::*;
use uuid::Uuid;

/// A name, or something that is almost one: of any length around the limit, and now and then with a control character.
fn almost_a_name() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        200 => any::<char>().prop_filter("a control character", |c| !c.is_control()),
        1 => prop::sample::select(vec!['\0', '\n', '\u{1f}', '\u{7f}', '\u{80}', '\u{9f}']),
    ];
    let free = prop::collection::vec(one, 0..160).prop_map(String::from_iter);
    let around = prop_oneof![Just(512_usize), Just(513), 505..520_usize];
    prop_oneof![free, around.prop_map(|bytes| "x".repeat(bytes))]
}

fn is_printable(text: &str) -> bool {
    let is_control = |c: char| matches!(u32::from(c), 0..=0x1f | 0x7f..=0x9f);
    text.len() <= 512 && !text.chars().any(is_control)
}

proptest! {
    #[test]
    fn an_account_and_a_purpose_are_taken_exactly_when_they_are_bounded_and_printable(text in almost_a_name()) {
        let account = Account::new(text.clone());
        prop_assert_eq!(account.is_ok(), is_printable(&text) && !text.is_empty());
        prop_assert!(account.is_err() || account.is_ok_and(|account| account.as_str() == text));
        let purpose = Purpose::new(text.clone());
        prop_assert_eq!(purpose.is_ok(), is_printable(&text));
        prop_assert!(purpose.is_err() || purpose.is_ok_and(|purpose| purpose.as_str() == text));
    }

    #[test]
    fn an_amount_is_a_number_from_one_to_the_largest_bigint(
        number in prop_oneof![any::<i128>(), -2..3_i128, i128::from(i64::MAX) - 2..i128::from(i64::MAX) + 3],
    ) {
        let amount = Credits::new(number);
        prop_assert_eq!(amount.is_ok(), number > 0 && number >> 63 == 0);
        prop_assert!(amount.is_err() || amount.is_ok_and(|amount| i128::from(amount.get()) == number));
    }

    /// One key is one request, and two keys or two namespaces are two, however alike they look.
    #[test]
    fn a_key_makes_one_request_and_another_key_another(
        spaces in any::<[u128; 2]>(),
        key in any::<String>(),
        tail in prop::sample::select(vec!["", " ", "\n", "\0", "\u{301}", "-1"]),
    ) {
        let request = |space, key: &str| RequestId::from_idempotency_key(Uuid::from_u128(space), key);
        let first = request(spaces[0], &key);
        prop_assert_eq!(first, request(spaces[0], &key));
        prop_assert_eq!(first == request(spaces[0], &format!("{key}{tail}")), tail.is_empty());
        prop_assert_eq!(first == request(spaces[1], &key), spaces[0] == spaces[1]);
    }
}
