//! Several resources at once: all or none.

use std::time::Duration;

use lease_lock::{AcquireAllError, AcquireError, Attempt, Floor, Released, Ttl};

use crate::support::{BOUND, Bench, resource, within};

#[tokio::test]
async fn all_are_taken_by_name_and_returned_as_they_were_asked_for() {
    let bench = Bench::new("all").await;
    let attempts = ["c", "a", "b"].map(|name| bench.attempt(&resource(name)));
    let leases = bench.lock.acquire_all(&attempts, Duration::ZERO).await;
    let leases = leases.unwrap();
    for (lease, attempt) in leases.iter().zip(&attempts) {
        assert_eq!(lease.holder(), attempt.holder());
        assert!(bench.lease_value(attempt.resource()).await.is_some());
    }
    assert_eq!(leases.len(), 3);
}

#[tokio::test]
async fn when_one_is_held_the_others_are_given_back() {
    let bench = Bench::new("none").await;
    let _held = bench.acquire(&resource("c")).await;
    let attempts = ["d", "c", "b", "a"].map(|name| bench.attempt(&resource(name)));
    match bench.lock.acquire_all(&attempts, Duration::ZERO).await {
        Err(AcquireAllError::NotAcquired { source, given_back }) => {
            let AcquireError::Held { resource: r, .. } = source else {
                panic!("{source:?}");
            };
            assert_eq!((r.as_str(), given_back), ("c", 2));
        }
        other => panic!("{other:?}"),
    }
    for name in ["a", "b", "d"] {
        assert_eq!(bench.lease_value(&resource(name)).await, None, "{name}");
    }
}

#[tokio::test]
async fn a_resource_that_is_named_twice_is_refused_before_anything_is_taken() {
    let bench = Bench::new("twice").await;
    let attempts = ["a", "b", "a"].map(|name| bench.attempt(&resource(name)));
    let refused = bench.lock.acquire_all(&attempts, BOUND).await;
    let Err(AcquireAllError::Duplicate { resource: r }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(r.as_str(), "a");
    assert_eq!(bench.lease_value(&resource("b")).await, None);
}

/// Were they taken as they are named, two callers would each hold what the other waits for.
#[tokio::test(flavor = "multi_thread")]
async fn callers_that_want_the_same_ones_in_another_order_do_not_wait_in_a_circle() {
    let bench = Bench::new("circle").await;
    let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]];
    let mut callers = Vec::new();
    for order in orders.into_iter().cycle().take(12) {
        let lock = bench.lock.clone();
        let attempts = order.map(|name| bench.attempt(&resource(name)));
        callers.push(tokio::spawn(async move {
            for lease in lock.acquire_all(&attempts, 6 * BOUND).await.unwrap() {
                assert_eq!(lease.release().await.unwrap(), Released::Released);
            }
        }));
    }
    for caller in callers {
        within(caller).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_outlives_its_ttl_while_the_others_are_waited_for() {
    let bench = Bench::new("freshen").await;
    let ttl = Ttl::from_millis(1_500).unwrap();
    let attempts = ["a", "b"].map(|name| Attempt::new(resource(name), ttl).with_floor(Floor::ZERO));
    let gone = Attempt::new(resource("b"), Ttl::from_millis(4_000).unwrap());
    let gone = gone.with_floor(Floor::ZERO);
    std::mem::forget(bench.lock.try_acquire(&gone).await.unwrap());
    let leases = bench.lock.acquire_all(&attempts, BOUND).await.unwrap();
    for lease in leases {
        assert!(lease.permit().is_ok(), "{} is lost", lease.resource());
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    }
}

/// The second reply is lost for good: nobody knows whether its lease was taken, so it goes, too.
#[tokio::test]
async fn c7_when_the_fate_of_one_is_unknown_all_are_given_back() {
    let bench = Bench::new("all-unknown").await;
    let proxy = bench.proxy().await;
    let lock = bench.through(&proxy).await;
    let attempts = ["a", "b"].map(|name| bench.attempt(&resource(name)));
    let first = lock.try_acquire(&attempts[0]).await.unwrap();
    proxy.hold_replies();
    let all = lock.acquire_all(&attempts, Duration::ZERO);
    let passed = async {
        bench
            .until_held_by(&resource("a"), attempts[0].holder())
            .await;
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        proxy.pass();
    };
    let (answer, ()) = tokio::join!(all, passed);
    let unknown = matches!(
        answer,
        Err(AcquireAllError::NotAcquired {
            source: AcquireError::Unknown(_),
            ..
        })
    );
    assert!(unknown, "{answer:?}");
    std::mem::forget(first); // so that nothing but the call itself gives it back
    bench.until_free(&resource("a")).await;
    bench.until_free(&resource("b")).await;
}
