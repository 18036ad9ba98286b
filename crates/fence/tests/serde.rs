//! Permits as JSON: what is written is read back as the same, and nothing else is read.
#![cfg(feature = "serde")]

use fence::{Fence, Floor, Holder, Permit, Reason, Refusal, Resource};
use serde_json::{Value, from_value, json, to_value};

const HOLDER: &str = "0d9c3f6e-7a51-4c8e-9b1f-2a64d0e8c7b5";

fn written() -> Value {
    json!({ "resource": "user:7:dataset:42", "fence": "9007199254740993", "holder": HOLDER })
}

/// The written permit with one member replaced.
fn with(member: &str, value: Value) -> Value {
    let mut permit = written();
    permit[member] = value;
    permit
}

fn complaint(value: Value) -> String {
    from_value::<Permit>(value)
        .expect_err("it is no permit")
        .to_string()
}

#[test]
fn a_permit_is_written_and_read_as_text_also_above_two_to_the_fifty_third() {
    let permit = Permit::new(
        "user:7:dataset:42".parse().unwrap(),
        "9007199254740993".parse().unwrap(),
        HOLDER.parse().unwrap(),
    );
    assert_eq!(to_value(&permit).unwrap(), written());
    assert_eq!(from_value::<Permit>(written()).unwrap(), permit);
}

/// C19: what makes no resource in code makes none on the wire.
#[test]
fn c19_a_name_that_is_none_is_not_read() {
    for name in ["", "a\0", "a\nb", "\u{85}", &"x".repeat(513)] {
        let complaint = complaint(with("resource", json!(name)));
        assert!(complaint.contains("resource"), "{name:?}: {complaint}");
    }
    let (composed, decomposed): (Resource, Resource) = (
        from_value(json!("caf\u{e9}")).unwrap(),
        from_value(json!("cafe\u{301}")).unwrap(),
    );
    assert_ne!(composed, decomposed);
}

#[test]
fn a_fence_that_is_no_text_or_out_of_range_is_not_read() {
    for number in [json!(7), json!(7.0), json!(null), json!(["7"])] {
        let complaint = complaint(with("fence", number));
        assert!(
            complaint.contains("string of decimal digits"),
            "{complaint}"
        );
    }
    for text in ["0", "007", "+7", " 7", "7e0", "", "4611686018427387904"] {
        let complaint = complaint(with("fence", json!(text)));
        assert!(complaint.contains("from 1 to 2^62 - 1"), "{complaint}");
    }
    assert_eq!(from_value::<Floor>(json!("0")).unwrap(), Floor::ZERO);
    assert!(from_value::<Floor>(json!(0)).is_err());
}

#[test]
fn a_holder_in_another_spelling_is_not_read_and_not_repeated() {
    for spelling in [HOLDER.to_uppercase(), HOLDER.replace('-', "")] {
        let complaint = complaint(with("holder", json!(spelling)));
        assert!(complaint.contains("lower case"), "{complaint}");
        assert!(!complaint.contains(&spelling), "{complaint}");
    }
}

#[test]
fn a_member_too_many_or_too_few_is_not_read() {
    assert!(complaint(with("ttl", json!(30))).contains("unknown field"));
    let mut fewer = written();
    fewer.as_object_mut().unwrap().remove("holder");
    assert!(complaint(fewer).contains("missing field"));
    let twice = r#"{"resource":"a","resource":"b","fence":"1","holder":"x"}"#;
    let complaint = serde_json::from_str::<Permit>(twice).unwrap_err();
    assert!(
        complaint.to_string().contains("duplicate field"),
        "{complaint}"
    );
}

#[test]
fn a_reason_is_the_word_of_the_guards_sql() {
    for reason in [
        Reason::Stale,
        Reason::NotOpen,
        Reason::Conflict,
        Reason::Closed,
    ] {
        assert_eq!(to_value(reason).unwrap(), json!(reason.as_str()));
        assert_eq!(
            from_value::<Reason>(json!(reason.as_str())).unwrap(),
            reason
        );
    }
}

#[test]
fn a_refusal_tells_both_numbers_as_text() {
    let permit = Permit::new("r".parse().unwrap(), Fence::MIN, Holder::random());
    let refusal = Refusal::new(permit, Reason::Stale, Fence::MAX.as_floor(), None);
    let value = to_value(&refusal).unwrap();
    assert_eq!(value["presented"]["fence"], "1");
    assert_eq!(value["mark"], "4611686018427387903");
}
