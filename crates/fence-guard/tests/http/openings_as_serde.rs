//! An opening in a job's payload: the form that is documented, and no other.

use fence_guard::OpenPermit;
use serde_json::{Value, from_value, json, to_value};

use crate::support::payload;

fn complaint(payload: Value) -> String {
    from_value::<OpenPermit>(payload)
        .expect_err("it is no opening")
        .to_string()
}

#[test]
fn an_opening_is_read_from_what_was_written() {
    let sent = payload("user:7", "9007199254740993");
    let open: OpenPermit = from_value(sent.clone()).unwrap();
    assert_eq!(open.permit().fence().get(), 9_007_199_254_740_993);
    assert_eq!((open.seq(), open.is_takeover()), (19, false));
    assert_eq!(
        open.valid_until().unix_timestamp_nanos(),
        1_793_491_200_123_456_000
    );
    assert_eq!(to_value(&open).unwrap(), sent);
}

#[test]
fn a_bare_permit_is_no_opening() {
    let permit = payload("user:7", "7")["permit"].take();
    assert!(complaint(permit).contains("unknown field"));
}

#[test]
fn a_member_that_is_wrong_is_told() {
    for (member, value, expected) in [
        ("opening", json!(19), "expected a string"),
        ("opening", json!("0"), "at least 1"),
        ("opening", json!("019"), "decimal digits"),
        ("valid_until_us", json!("soon"), "decimal digits"),
        (
            "valid_until_us",
            json!(i64::MAX.to_string()),
            "between the years",
        ),
        ("takeover", json!("false"), "expected a boolean"),
        ("permit", json!({}), "missing field"),
        ("ttl", json!(30), "unknown field"),
    ] {
        let mut payload = payload("user:7", "7");
        payload[member] = value;
        let complaint = complaint(payload);
        assert!(complaint.contains(expected), "{member}: {complaint}");
    }
}
