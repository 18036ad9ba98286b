//! A header put together from parts that a sender might write, in any order and spelling: it is read only where it is
//! the one text that says the same.

use fence_guard::OpenPermit;
use fence_guard::http::{FENCE_PERMIT, FencePermit};
use proptest::prelude::*;
use serde_json::{from_slice, from_value, json, to_value};

use crate::support::{HOLDER, headers_of, lines};

/// A value of a parameter that wants a text of digits.
fn digits() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "\"[1-9][0-9]{0,17}\"",
        1 => prop::sample::select(vec!["7", "\"07\"", "\"+7\"", "\"-7\"", "\"\"", "?0", "\"7 \"", "7.0", "\"٧\""])
            .prop_map(String::from),
    ]
}

/// One parameter of each kind, mostly as it should be.
fn parameters() -> impl Strategy<Value = Vec<String>> {
    let holder = prop_oneof![
        8 => Just(format!("\"{HOLDER}\"")),
        1 => Just(format!("\"{}\"", HOLDER.to_uppercase())),
        1 => Just(HOLDER.replace('-', "")),
    ];
    let takeover = prop::sample::select(vec![
        "takeover=?0",
        "takeover=?1",
        "takeover",
        "takeover=1",
        "x=?0",
    ]);
    (digits(), holder, digits(), digits(), takeover).prop_map(
        |(fence, holder, opening, until, takeover)| {
            vec![
                format!("fence={fence}"),
                format!("holder={holder}"),
                format!("opening={opening}"),
                format!("valid_until_us={until}"),
                takeover.to_owned(),
            ]
        },
    )
}

/// The parameters in their order; or two changed places, one left out, one said twice.
fn arranged() -> impl Strategy<Value = Vec<String>> {
    (parameters(), 0..8_usize, 0..5_usize, 0..5_usize).prop_map(|(mut all, how, one, other)| {
        match how {
            0 => all.swap(one, other),
            1 => drop(all.remove(one)),
            2 => all.insert(other, all[one].clone()),
            _ => {}
        }
        all
    })
}

fn written() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "%\"a\"",
        "%\"a%20b\"",
        "%\"a b\"",
        "%\"%C3%A9\"",
        "%\"%c3%a9\"",
        "%\"%e9\"",
        "\"a\"",
        "a",
        "%\"\"",
        "%\"%0a\"",
    ]);
    let separator = prop_oneof![12 => Just(";"), 1 => Just("; "), 1 => Just(" ;")];
    (name, separator, arranged()).prop_map(|(name, separator, parameters)| {
        let mut parts = vec![name.to_owned()];
        parts.extend(parameters);
        parts.join(separator)
    })
}

proptest! {
    #[test]
    fn whatever_is_put_together_is_read_only_in_its_one_spelling(text in written()) {
        let Ok(value) = hyper::header::HeaderValue::from_bytes(text.as_bytes()) else {
            return Ok(());
        };
        if let Ok(permit) = FencePermit::from_headers(&lines(&[value.as_bytes()])) {
            let again = headers_of(&permit.into_open());
            prop_assert_eq!(again[FENCE_PERMIT].as_bytes(), text.as_bytes());
        }
    }

    /// The JSON of a job's payload, likewise.
    #[test]
    fn an_opening_is_read_from_json_only_in_its_one_spelling(
        fence in "0?[1-9][0-9]{0,18}",
        opening in "-?0?[0-9]{1,19}",
        until in "[-+]?0?[0-9]{1,19}",
    ) {
        let sent = json!({
            "permit": { "resource": "r", "fence": fence, "holder": HOLDER },
            "opening": opening,
            "valid_until_us": until,
            "takeover": true,
        });
        if let Ok(open) = from_value::<OpenPermit>(sent.clone()) {
            prop_assert_eq!(to_value(open).expect("json"), sent);
        }
    }

    #[test]
    fn whatever_bytes_come_as_a_payload_are_no_opening(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(from_slice::<OpenPermit>(&bytes).is_err());
    }
}
