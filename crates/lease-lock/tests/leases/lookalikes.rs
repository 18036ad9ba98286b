//! What looks like a lock and is none.

use std::collections::HashSet;

use lease_lock::Ttl;
use lease_lock::lookalike::{Burned, DedupWindow, LookalikeError, OneTimeToken, Seen};

use crate::support::{Bench, long};

#[tokio::test]
async fn a_dedup_window_lets_a_name_through_once_until_it_ends() {
    let bench = Bench::new("dedup").await;
    let window = DedupWindow::new(&bench.lock, long());
    assert_eq!(window.note("click:7").await.unwrap(), Seen::First);
    assert_eq!(window.note("click:7").await.unwrap(), Seen::Again);
    assert_eq!(window.note("click:8").await.unwrap(), Seen::First);

    let key = format!("{}seen:click:7", bench.lock.prefix());
    let left: u64 = bench.redis(format!("PTTL {key}")).await;
    assert!(left > 30_000 && left <= long().as_millis(), "{left} ms");
    let _: i64 = bench.redis(format!("DEL {key}")).await;
    assert_eq!(window.note("click:7").await.unwrap(), Seen::First);
}

#[tokio::test]
async fn a_repeat_does_not_prolong_the_window() {
    let bench = Bench::new("dedup-fixed").await;
    let window = DedupWindow::new(&bench.lock, long());
    let key = format!("{}seen:x", bench.lock.prefix());
    assert_eq!(window.note("x").await.unwrap(), Seen::First);
    let _: i64 = bench.redis(format!("PEXPIRE {key} 30000")).await;
    assert_eq!(window.note("x").await.unwrap(), Seen::Again);
    let left: u64 = bench.redis(format!("PTTL {key}")).await;
    assert!(left <= 30_000, "{left} ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_bearers_of_one_token_exactly_one_burns_it() {
    let bench = Bench::new("token").await;
    let token = OneTimeToken::issue(&bench.lock, "stream 42", long()).await;
    let token = token.unwrap();
    let bearers = (0..16).map(|_| {
        // Each bearer has it as text only, and asks through its own handle.
        let (lock, text) = (bench.lock.clone(), token.to_string());
        tokio::spawn(async move {
            let token: OneTimeToken = text.parse().unwrap();
            token.burn(&lock).await.unwrap()
        })
    });
    let mut payloads = Vec::new();
    for bearer in bearers.collect::<Vec<_>>() {
        if let Burned::Now { payload } = bearer.await.unwrap() {
            payloads.push(payload);
        }
    }
    assert_eq!(payloads, ["stream 42"]);
}

#[tokio::test]
async fn tokens_differ_and_are_not_shown_by_accident() {
    let bench = Bench::new("tokens").await;
    let mut seen = HashSet::new();
    for _ in 0..32 {
        let token = OneTimeToken::issue(&bench.lock, "x", long()).await.unwrap();
        assert!(!format!("{token:?}").contains(&token.to_string()));
        assert!(seen.insert(token.to_string()));
    }
}

#[tokio::test]
async fn names_and_payloads_are_bounded() {
    let bench = Bench::new("bounds").await;
    let window = DedupWindow::new(&bench.lock, Ttl::MIN);
    for text in [String::new(), "x".repeat(513)] {
        let noted = window.note(&text).await;
        assert!(matches!(noted, Err(LookalikeError::Length { .. })));
        let issued = OneTimeToken::issue(&bench.lock, &text, Ttl::MIN).await;
        assert!(matches!(issued, Err(LookalikeError::Length { .. })));
    }
}
