//! What Redis answers: whatever it is, it becomes an answer that a script gives, or a typed error.

use std::time::Duration;

use fence::{Fence, Floor, Holder, Permit};
use proptest::prelude::*;
use redis::{RedisError, Value};

use crate::acquire::{Grant, Request};
use crate::error::{AcquireError, ReleaseError, RenewError};
use crate::release::Released;
use crate::reply::Reply;
use crate::{Prefix, Ttl, release, renew};

/// Any value that a server can send, nested.
fn any_value() -> impl Strategy<Value = Value> {
    let one = prop_oneof![
        Just(Value::Nil),
        Just(Value::Okay),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_map(Value::Double),
        any::<bool>().prop_map(Value::Boolean),
        any::<String>().prop_map(Value::SimpleString),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::BulkString),
    ];
    one.prop_recursive(3, 16, 4, |one| {
        prop_oneof![
            prop::collection::vec(one.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec(one.clone(), 0..4).prop_map(Value::Set),
            prop::collection::vec((one.clone(), one), 0..4).prop_map(Value::Map),
        ]
    })
}

/// A text of a script, or something that is almost one: words and numbers where they belong, and elsewhere.
fn almost_a_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "minted",
        "reminted",
        "yours",
        "held",
        "reserved",
        "full",
        "expired",
        "missing",
        "unusable",
        "far",
        "exhausted",
        "foreign",
        "released",
        "renewed",
        "taken",
        "queued",
        "Minted",
        "",
    ]);
    let part = prop_oneof![
        any::<u64>().prop_map(|n| n.to_string()),
        (1..100_u64).prop_map(|n| n.to_string()),
        prop::sample::select(vec![
            "0",
            "-1",
            "+7",
            "007",
            "4611686018427387904",
            "type",
            "",
            "٧",
            "1e3"
        ])
        .prop_map(String::from),
    ];
    (word, prop::collection::vec(part, 0..4)).prop_map(|(word, parts)| {
        let mut words = vec![word.to_owned()];
        words.extend(parts);
        words.join(" ")
    })
}

/// Reads a text in all three ways, with and without a TTL and a floor.
struct Read {
    acquired: Result<Grant, AcquireError>,
    released: Result<Released, ReleaseError>,
    renewed: Result<(), RenewError>,
}

fn read(text: &str, ttl: Option<Ttl>, floor: Option<Floor>) -> Read {
    let reply = || Reply::new(Value::BulkString(text.into())).expect("it is a text");
    let prefix = Prefix::new("app:").expect("a prefix");
    let resource = "r".parse().expect("a name");
    let holder = Holder::random();
    let request = Request {
        prefix: &prefix,
        resource: &resource,
        holder,
        ttl,
        floor,
        place: None,
    };
    let release = release::Request {
        prefix: &prefix,
        resource: &resource,
        holder,
        fence: None,
    };
    let permit = Permit::new(resource.clone(), Fence::MIN, holder);
    Read {
        acquired: request.read(reply()),
        released: release.read(reply()),
        renewed: renew::read(&prefix, &permit, reply()),
    }
}

proptest! {
    #[test]
    fn a_value_that_is_no_text_is_an_unreadable_reply(value in any_value()) {
        let is_text = matches!(&value, Value::BulkString(bytes) if str::from_utf8(bytes).is_ok());
        let read: Result<Reply, RedisError> = Reply::new(value);
        prop_assert_eq!(read.is_ok(), is_text);
    }

    /// A lease is handed out only for a word that grants one, under the fence that stands there, and for no longer
    /// than a lease can last.
    #[test]
    fn only_a_granting_word_with_a_fence_grants(
        text in almost_a_text(),
        ttl in prop::option::of(1..=1_u64 << 40),
        floor in prop::option::of(0..1_u64 << 62),
    ) {
        let ttl = ttl.map(|millis| Ttl::from_millis(millis).expect("a ttl"));
        let floor = floor.map(|number| Floor::new(number).expect("a floor"));
        let parts: Vec<&str> = text.split(' ').collect();
        let told = parts.get(1).and_then(|part| part.parse::<Fence>().ok());
        let grants = match parts[0] {
            "minted" => ttl.is_some(),
            "reminted" | "yours" => true,
            _ => false,
        };
        match read(&text, ttl, floor).acquired {
            Ok(grant) => {
                prop_assert!(grants, "{text}");
                prop_assert_eq!(Some(grant.fence), told);
                prop_assert!(grant.left <= Ttl::MAX.as_duration());
                // What was minted has the whole ttl, what was there already only what Redis says.
                let millis = parts.get(2).and_then(|part| part.parse().ok());
                let left = match parts[0] {
                    "minted" => ttl.map(Ttl::as_duration),
                    _ => Some(Duration::from_millis(millis.unwrap_or(0)).min(Ttl::MAX.as_duration())),
                };
                prop_assert_eq!(Some(grant.left), left);
            }
            Err(_) => prop_assert!(!grants || told.is_none(), "{text}"),
        }
    }

    #[test]
    fn a_release_and_a_renewal_have_happened_only_where_the_reply_says_so(text in almost_a_text()) {
        let word = text.split(' ').next();
        let read = read(&text, None, None);
        let is_released = matches!(read.released, Ok(Released::Released));
        prop_assert_eq!(is_released, word == Some("released"));
        prop_assert_eq!(read.renewed.is_ok(), word == Some("renewed"));
        // A word that no script of these gives is an outcome that nobody knows.
        if !matches!(word, Some("released" | "renewed" | "expired" | "taken" | "foreign")) {
            prop_assert!(matches!(read.released, Err(ReleaseError::Unknown(_))));
            prop_assert!(matches!(read.renewed, Err(RenewError::Unknown(_))));
        }
    }
}
