//! What a fence counter may hold, and what is done with one that holds anything else.

use lease_lock::{AcquireError, CounterProblem, Fence, Floor, Resource};

use crate::support::{Bench, resource};

/// Above 2^53 the numbers of Lua are no longer whole: this one and its neighbour would be one.
#[tokio::test]
async fn c20_fences_above_two_to_the_fifty_third_are_exact() {
    let bench = Bench::new("exact").await;
    let r = resource("r");
    let key = bench.counter_key(&r);
    let _: () = bench.redis(format!("SET {key} 9007199254740992")).await;

    let mut fences = Vec::new();
    for _ in 0..4 {
        let lease = bench.acquire(&r).await;
        let value = bench.lease_value(&r).await.unwrap();
        assert_eq!(value, format!("{}:{}", lease.fence(), lease.holder()));
        fences.push(lease.fence().get());
        let _ = lease.release().await.unwrap();
    }
    let first = 9_007_199_254_740_993;
    assert_eq!(fences, [first, first + 1, first + 2, first + 3]);
}

#[tokio::test]
async fn c20_a_floor_above_two_to_the_fifty_third_is_exact() {
    let bench = Bench::new("exact-floor").await;
    let r = resource("r");
    let floor = Floor::new((1 << 53) + 1).unwrap();
    let lease = bench
        .lock
        .try_acquire(&bench.attempt(&r).with_floor(floor))
        .await
        .unwrap();
    assert_eq!(lease.fence().get(), (1 << 53) + 2);
}

#[tokio::test]
async fn c20_a_counter_that_holds_nonsense_mints_nothing_and_leaves_no_lease() {
    let bench = Bench::new("nonsense").await;
    let r = resource("r");
    let key = bench.counter_key(&r);
    for (text, expected) in [
        ("abc", CounterProblem::NotANumber),
        ("-5", CounterProblem::NotANumber),
        ("1.5", CounterProblem::NotANumber),
        ("1e3", CounterProblem::NotANumber),
        ("+7", CounterProblem::NotANumber),
        ("0", CounterProblem::OutOfRange),
        ("007", CounterProblem::OutOfRange),
        ("4611686018427387904", CounterProblem::OutOfRange),
        ("9223372036854775807", CounterProblem::OutOfRange),
        ("99999999999999999999", CounterProblem::OutOfRange),
    ] {
        let _: () = bench.redis(format!("SET {key} {text}")).await;
        match bench.lock.try_acquire(&bench.attempt(&r)).await {
            Err(AcquireError::CounterUnusable { problem, .. }) => {
                assert_eq!(problem, expected, "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
        assert_eq!(bench.redis::<String>(format!("GET {key}")).await, text);
        assert_eq!(bench.lease_value(&r).await, None, "{text}");
    }
}

#[tokio::test]
async fn c20_a_counter_of_another_type_mints_nothing_and_leaves_no_lease() {
    let bench = Bench::new("type").await;
    let r = resource("r");
    let key = bench.counter_key(&r);
    let _: i64 = bench.redis(format!("HSET {key} a 1")).await;
    match bench.lock.try_acquire(&bench.attempt(&r)).await {
        Err(AcquireError::CounterUnusable {
            problem, key: told, ..
        }) => assert_eq!((problem, told), (CounterProblem::WrongType, key.clone())),
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.redis::<String>(format!("TYPE {key}")).await, "hash");
    assert_eq!(bench.lease_value(&r).await, None);
}

#[tokio::test]
async fn c20_a_counter_with_a_ttl_becomes_permanent() {
    let bench = Bench::new("ttl").await;
    let r = resource("r");
    let key = bench.counter_key(&r);
    let _: () = bench.redis(format!("SET {key} 41 PX 60000")).await;
    assert_eq!(bench.acquire(&r).await.fence().get(), 42);
    assert_eq!(bench.redis::<i64>(format!("PTTL {key}")).await, -1);
}

#[tokio::test]
async fn c21_at_the_end_of_the_numbers_nothing_is_minted_and_no_lease_is_left() {
    let bench = Bench::new("end").await;
    let r = resource("r");
    let key = bench.counter_key(&r);
    let _: () = bench
        .redis(format!("SET {key} {}", Fence::MAX.get() - 1))
        .await;
    let last = bench.acquire(&r).await;
    assert_eq!(last.fence(), Fence::MAX);
    let _ = last.release().await.unwrap();

    let refused = bench.lock.try_acquire(&bench.attempt(&r)).await;
    assert!(
        matches!(refused, Err(AcquireError::Exhausted { .. })),
        "{refused:?}"
    );
    assert_eq!(bench.lease_value(&r).await, None);
    let counter: String = bench.redis(format!("GET {key}")).await;
    assert_eq!(counter, Fence::MAX.to_string());
}

#[tokio::test]
async fn resources_of_one_bucket_share_their_numbers_and_each_still_grows() {
    let bench = Bench::new("bucket").await;
    let (one, other) = two_of_one_bucket(&bench);
    let mut fences = Vec::new();
    for r in [&one, &other, &one, &other] {
        let lease = bench.acquire(r).await;
        fences.push(lease.fence().get());
        let _ = lease.release().await.unwrap();
    }
    assert_eq!(fences, [1, 2, 3, 4]);
}

fn two_of_one_bucket(bench: &Bench) -> (Resource, Resource) {
    let one = resource("r0");
    let key = bench.counter_key(&one);
    let other = (1..)
        .map(|n| resource(&format!("r{n}")))
        .find(|r| bench.counter_key(r) == key)
        .unwrap();
    (one, other)
}
