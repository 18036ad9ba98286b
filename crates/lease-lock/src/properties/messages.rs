//! What comes by publish and subscribe. Whoever may publish can send anything.

use futures_util::FutureExt;
use proptest::prelude::*;
use redis::{PushInfo, PushKind, Value};

use super::any_resource;
use crate::Prefix;
use crate::wakes::Wakes;

/// A message, or something that is almost one.
fn almost_a_message() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec!["wake", "watch", "again", "", "wak"]);
    let number = prop_oneof![
        any::<u64>().prop_map(|n| n.to_string()),
        prop::sample::select(vec!["-1", "+1", "18446744073709551616", "", "x"])
            .prop_map(String::from),
    ];
    let told = (word, number, any_resource()).prop_map(|(word, number, resource)| {
        let key = Prefix::new("app:").expect("a prefix").lease_key(&resource);
        format!("{word} {number} {key}").into_bytes()
    });
    prop_oneof![told, prop::collection::vec(any::<u8>(), 0..64)]
}

proptest! {
    /// It says *ask now* only after a message that does, and a client that has heard nonsense still hears the next.
    #[test]
    fn whatever_is_heard_is_obeyed_or_left_and_not_panicked_at(
        messages in prop::collection::vec(almost_a_message(), 1..8),
        parts in 0..3_usize,
    ) {
        let wakes = Wakes::new(Prefix::new("app:").expect("a prefix"), false);
        let (_, signal) = wakes.enter(&"mine".parse().expect("a name"));
        let may_be_told = parts == 2 && messages.iter().any(|message| says_ask_now(message));
        for message in messages {
            wakes.hear(message_of(message, parts));
        }
        prop_assert!(may_be_told || signal.told().now_or_never() != Some(true));
        wakes.hear(message_of(b"again".to_vec(), 2));
        prop_assert_eq!(signal.told().now_or_never(), Some(true));
    }
}

/// A message that comes with its channel, as it does, or with fewer parts.
fn message_of(text: Vec<u8>, parts: usize) -> PushInfo {
    let data = [
        Value::BulkString(b"channel".to_vec()),
        Value::BulkString(text),
    ];
    PushInfo {
        kind: PushKind::Message,
        data: data.into_iter().take(parts).collect(),
    }
}

fn says_ask_now(message: &[u8]) -> bool {
    message.starts_with(b"wake ") || message.starts_with(b"again")
}
