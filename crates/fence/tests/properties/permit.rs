//! Permits as JSON, from whoever sends them.
#![cfg(feature = "serde")]

use fence::{Fence, Holder, Permit, Resource};
use proptest::prelude::*;
use serde_json::{Value, from_slice, from_value, json, to_value, to_vec};

use crate::resource::almost_a_name;

/// A number, a text, or something else, where this one is expected; most often that.
fn almost(right: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    let wrong = prop_oneof![
        "[0-9]{1,20}".prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        almost_a_name().prop_map(Value::from),
        Just(Value::Null),
    ];
    prop_oneof![6 => right, 1 => wrong]
}

fn any_name() -> impl Strategy<Value = Value> {
    almost(almost_a_name().prop_map(Value::from))
}

fn any_fence() -> impl Strategy<Value = Value> {
    almost("0?[1-9][0-9]{0,18}".prop_map(Value::from))
}

fn any_holder() -> impl Strategy<Value = Value> {
    almost(any::<u128>().prop_map(|bits| json!(uuid::Uuid::from_u128(bits).to_string())))
}

proptest! {
    #[test]
    fn every_permit_is_read_as_it_was_written(name in almost_a_name(), number in 1..1_u64 << 62, bits in any::<u128>()) {
        if let Ok(resource) = Resource::new(name) {
            let holder = Holder::from_uuid(uuid::Uuid::from_u128(bits));
            let permit = Permit::new(resource, Fence::new(number).expect("in range"), holder);
            prop_assert_eq!(from_slice::<Permit>(&to_vec(&permit).expect("json")).expect("a permit"), permit);
        }
    }

    #[test]
    fn what_is_read_as_a_permit_is_written_the_same(resource in any_name(), fence in any_fence(), holder in any_holder()) {
        let sent = json!({ "resource": resource, "fence": fence, "holder": holder });
        if let Ok(permit) = from_value::<Permit>(sent.clone()) {
            prop_assert_eq!(to_value(permit).expect("json"), sent);
        }
    }

    #[test]
    fn whatever_bytes_come_are_no_permit(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(from_slice::<Permit>(&bytes).is_err());
    }
}
