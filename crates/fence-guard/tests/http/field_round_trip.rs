//! Every legal opening comes out of a header as it went in, and what was tampered with comes out as itself or not at all.

use fence_guard::OpenPermit;
use fence_guard::http::{FENCE_PERMIT, FencePermit, MAX_BYTES};
use hyper::header::HeaderValue;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{WRITTEN, headers_of, lines, payload};

/// An opening of any name, numbers and holder that there can be.
fn any_opening() -> impl Strategy<Value = Value> {
    let fence = prop_oneof![1..=9_u64, 1..1_u64 << 62, Just((1 << 62) - 1)];
    let until = -62_135_596_800_000_000_i64..253_402_300_799_999_999;
    let seq = prop_oneof![1..100_i64, 1..=i64::MAX];
    (any_name(), fence, any::<u128>(), seq, until, any::<bool>()).prop_map(
        |(name, fence, holder, seq, until, takeover)| {
            let holder = uuid::Uuid::from_u128(holder).to_string();
            json!({
                "permit": { "resource": name, "fence": fence.to_string(), "holder": holder },
                "opening": seq.to_string(),
                "valid_until_us": until.to_string(),
                "takeover": takeover,
            })
        },
    )
}

/// Any name of 1 to 512 bytes without control characters, with many of what a header has to encode.
fn any_name() -> impl Strategy<Value = String> {
    let hard = prop::sample::select(vec![
        '"',
        '%',
        '\\',
        ';',
        ',',
        ' ',
        'é',
        '\u{301}',
        '🔒',
        '\u{10ffff}',
    ]);
    let one =
        prop_oneof![hard, any::<char>()].prop_filter("a control character", |c| !c.is_control());
    prop::collection::vec(one, 1..512).prop_map(|chars| {
        let mut name = String::new();
        for c in chars {
            if name.len() + c.len_utf8() <= 512 {
                name.push(c);
            }
        }
        name
    })
}

fn there_and_back(sent: &Value) -> Value {
    let open: OpenPermit = serde_json::from_value(sent.clone()).unwrap();
    let headers = headers_of(&open);
    assert!(headers[FENCE_PERMIT].len() <= MAX_BYTES);
    let permit = FencePermit::from_headers(&headers).unwrap();
    serde_json::to_value(permit.into_open()).unwrap()
}

proptest! {
    #[test]
    fn every_opening_survives_a_header(sent in any_opening()) {
        prop_assert_eq!(there_and_back(&sent), sent);
    }

    /// One byte is replaced, as by a sender that is almost right: then it is another opening in its one spelling,
    /// or it is not read.
    #[test]
    fn a_changed_byte_is_never_read_as_something_that_is_written_otherwise(at in 0..WRITTEN.len(), byte in 0x20..0x7f_u8) {
        let mut changed = WRITTEN.as_bytes().to_vec();
        changed[at] = byte;
        if let Ok(permit) = FencePermit::from_headers(&lines(&[&changed])) {
            let again = headers_of(&permit.into_open());
            prop_assert_eq!(again[FENCE_PERMIT].as_bytes(), changed.as_slice());
        }
    }

    #[test]
    fn whatever_comes_in_is_answered_and_not_panicked_at(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(value) = HeaderValue::from_bytes(&bytes) {
            prop_assert!(FencePermit::from_headers(&lines(&[value.as_bytes()])).is_err());
        }
    }
}

/// C19, and not by chance: every character that a name may hold.
#[test]
fn c19_every_legal_character_survives_a_header() {
    let mut name = String::new();
    for c in (0..=0x10_ffff)
        .filter_map(char::from_u32)
        .filter(|c| !c.is_control())
    {
        if name.len() + c.len_utf8() > 512 {
            let sent = payload(&name, "1");
            assert_eq!(there_and_back(&sent), sent);
            name.clear();
        }
        name.push(c);
    }
    let sent = payload(&name, "1");
    assert_eq!(there_and_back(&sent), sent);
}

/// C19 by name, and the longest of everything.
#[test]
fn c19_names_that_broke_others_survive_a_header() {
    let longest = "\u{10ffff}".repeat(128);
    for name in [
        "\"",
        "%",
        "%22",
        "\\",
        "a;fence=\"9\"",
        "caf\u{e9}",
        "cafe\u{301}",
        "👩‍🔬",
        " ",
        &longest,
    ] {
        let mut sent = payload(name, "4611686018427387903");
        sent["opening"] = json!(i64::MAX.to_string());
        sent["valid_until_us"] = json!("-62135596800000000");
        assert_eq!(there_and_back(&sent), sent);
    }
}
