//! Who gets the lease, and under which number.

use std::collections::HashSet;

use crate::support::{Bench, long, resource};
use lease_lock::{AcquireError, Attempt, Fence, Floor, Released, Resource, Ttl};

#[tokio::test]
async fn the_first_holder_gets_a_fence_and_the_whole_ttl() {
    let bench = Bench::new("first").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;

    assert_eq!(lease.fence(), Fence::MIN);
    assert_eq!(lease.resource(), &r);
    assert_eq!(
        bench.lease_value(&r).await,
        Some(format!("1:{}", lease.holder()))
    );
    let left: u64 = bench.redis(format!("PTTL {}", bench.lease_key(&r))).await;
    assert!(left > 30_000 && left <= long().as_millis(), "{left} ms");
}

#[tokio::test]
async fn a_second_holder_is_told_by_whom_and_for_how_long_it_is_held() {
    let bench = Bench::new("held").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;

    match bench.lock.try_acquire(&bench.attempt(&r)).await {
        Err(AcquireError::Held {
            resource,
            remaining,
            by,
        }) => {
            assert_eq!((resource, by), (r, lease.fence()));
            assert!(remaining > lease.remaining() && remaining <= long().as_duration());
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn fences_of_one_resource_strictly_grow() {
    let bench = Bench::new("grow").await;
    let r = resource("r");
    let mut last = None;
    for _ in 0..20 {
        let lease = bench.acquire(&r).await;
        assert!(Some(lease.fence()) > last);
        last = Some(lease.fence());
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_attempts_at_once_exactly_one_gets_the_lease() {
    let bench = Bench::new("race").await;
    let r = resource("r");
    let attempts = (0..32).map(|_| {
        let (lock, attempt) = (bench.lock.clone(), bench.attempt(&r));
        tokio::spawn(async move { lock.try_acquire(&attempt).await })
    });
    let mut leases = Vec::new();
    for attempt in attempts.collect::<Vec<_>>() {
        match attempt.await.unwrap() {
            Ok(lease) => leases.push(lease),
            Err(AcquireError::Held { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(leases.len(), 1);
}

#[tokio::test]
async fn c9_the_same_attempt_finds_its_own_lease_and_what_is_left_of_it() {
    let bench = Bench::new("replay").await;
    let r = resource("r");
    let attempt = Attempt::new(r.clone(), long());
    let first = bench
        .lock
        .try_acquire(&attempt.clone().with_floor(Floor::ZERO))
        .await
        .unwrap();

    // Most of the TTL goes by; Redis is told so instead of waiting for it.
    let key = bench.lease_key(&r);
    let _: i64 = bench.redis(format!("PEXPIRE {key} 20000")).await;
    let replay = bench.lock.try_acquire(&attempt).await.unwrap();

    assert_eq!(
        (replay.fence(), replay.holder()),
        (first.fence(), first.holder())
    );
    assert!(replay.remaining().as_millis() < 20_000);
    let left: u64 = bench.redis(format!("PTTL {key}")).await;
    assert!(left <= 20_000, "a replay got a fresh ttl: {left} ms");
}

#[tokio::test]
async fn c18_names_that_concatenate_to_one_text_are_leased_apart() {
    let bench = Bench::new("parts").await;
    let left = Resource::from_parts(["a:b", "c"]).unwrap();
    let right = Resource::from_parts(["a", "b:c"]).unwrap();
    let one = bench.acquire(&left).await;
    let other = bench.acquire(&right).await;
    assert_ne!(bench.lease_key(&left), bench.lease_key(&right));
    assert_ne!(one.holder(), other.holder());
}

#[tokio::test]
async fn c19_every_name_that_a_resource_can_have_is_leased_apart() {
    let bench = Bench::new("names").await;
    let longest = "x".repeat(Resource::MAX_BYTES);
    let names = [
        "}",
        "{}",
        "a}b{c",
        "{b17}",
        " ",
        "*",
        "caf\u{e9}",
        "cafe\u{301}",
        "%s",
        "\u{1f512}",
        &longest,
    ];
    let mut leases = Vec::new();
    let mut keys = HashSet::new();
    for name in names {
        let r = resource(name);
        assert!(keys.insert(bench.lease_key(&r)), "{name:?}");
        leases.push(bench.acquire(&r).await);
    }
    for lease in leases {
        let r = lease.resource().clone();
        assert_eq!(lease.release().await.unwrap(), Released::Released, "{r}");
    }
}

#[tokio::test]
async fn c7_an_attempt_that_is_abandoned_frees_what_it_took() {
    let bench = Bench::new("abandon").await;
    let r = resource("r");
    let attempt = bench.attempt(&r);
    // The reply is lost: the lease is known to Redis alone.
    std::mem::forget(bench.lock.try_acquire(&attempt).await.unwrap());
    assert_eq!(
        bench.lock.abandon(attempt).await.unwrap(),
        Released::Released
    );

    let successor = bench.acquire(&r).await;
    let late = bench.attempt(&r);
    assert_eq!(
        bench.lock.abandon(late).await.unwrap(),
        Released::TakenOver {
            by: successor.fence()
        }
    );
    assert!(bench.lease_value(&r).await.is_some());
}

#[tokio::test]
async fn c1_the_shortest_ttl_never_leaves_a_lease_without_an_end() {
    let bench = Bench::new("shortest").await;
    let r = resource("r");
    let attempt = Attempt::new(r.clone(), Ttl::MIN).with_floor(Floor::ZERO);
    match bench.lock.try_acquire(&attempt).await {
        Err(AcquireError::TooLate { fence, .. }) => assert_eq!(fence, Fence::MIN),
        other => panic!("1 ms cannot be trusted: {other:?}"),
    }
    bench.until_free(&r).await;
}

#[tokio::test]
async fn c1_the_longest_ttl_is_a_lease_with_an_end() {
    let bench = Bench::new("longest").await;
    let r = resource("r");
    let attempt = Attempt::new(r.clone(), Ttl::MAX).with_floor(Floor::ZERO);
    let mut lease = bench.lock.try_acquire(&attempt).await.unwrap();
    lease.renew(Ttl::MAX).await.unwrap();
    let left: u64 = bench.redis(format!("PTTL {}", bench.lease_key(&r))).await;
    assert!(left > Ttl::MAX.as_millis() / 2, "{left} ms");
}
