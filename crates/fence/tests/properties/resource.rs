//! Names.

use fence::{InvalidResource, Resource};
use proptest::prelude::*;

/// A name, or something that is almost one: of any length around the limit, with characters that are many bytes,
/// and now and then a control character.
pub(crate) fn almost_a_name() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        200 => any::<char>().prop_filter("a control character", |c| !c.is_control()),
        1 => prop::sample::select(vec!['\0', '\n', '\u{1f}', '\u{7f}', '\u{80}', '\u{9f}']),
    ];
    let short = prop::collection::vec(one.clone(), 0..20);
    let long = prop::collection::vec(one, 100..160);
    let around =
        prop_oneof![Just(512_usize), Just(513), 505..520_usize].prop_map(|bytes| vec!['x'; bytes]);
    prop_oneof![short, long, around].prop_map(String::from_iter)
}

/// Parts as services join them, with what the joining itself writes.
fn any_parts() -> impl Strategy<Value = Vec<String>> {
    let hard = prop::sample::select(vec![":", "%", "%3A", "%25", "%253A", "a", "é"]);
    let part = prop::collection::vec(hard, 0..5).prop_map(|parts| parts.concat());
    prop::collection::vec(part, 1..5)
}

proptest! {
    /// 1 to 512 bytes without C0, DEL and C1: what `fence.is_name` takes, said once more in other words.
    #[test]
    fn a_name_is_taken_exactly_when_it_is_bounded_and_printable(name in almost_a_name()) {
        let wrong = |c: &char| matches!(u32::from(*c), 0..=0x1f | 0x7f..=0x9f);
        let is_name = (1..=512).contains(&name.len()) && !name.chars().any(|c| wrong(&c));
        match Resource::new(&name) {
            Ok(resource) => {
                prop_assert!(is_name);
                prop_assert_eq!(resource.as_str(), &name);
                prop_assert_eq!(resource.to_string().parse::<Resource>(), Ok(resource));
            }
            Err(InvalidResource::Empty) => prop_assert!(name.is_empty()),
            Err(InvalidResource::TooLong { bytes }) => prop_assert!(bytes > 512 && bytes == name.len()),
            Err(InvalidResource::ControlCharacter { at }) => {
                prop_assert!(name[at..].chars().next().is_some_and(|c| wrong(&c)));
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    /// What was joined can be taken apart again, so no two lists of parts make one name.
    #[test]
    fn joined_parts_can_be_taken_apart_again(parts in any_parts()) {
        if let Ok(resource) = Resource::from_parts(&parts) {
            let apart = resource.as_str().split(':');
            let apart: Vec<String> = apart.map(|part| part.replace("%3A", ":").replace("%25", "%")).collect();
            prop_assert_eq!(apart, parts);
        } else {
            prop_assert!(parts.concat().is_empty());
        }
    }
}
