//! How a lease ends: given back, expired, taken over, dropped.

use crate::support::{Bench, long, resource};
use lease_lock::{AcquireError, Floor, Lease, ReleaseError, Released};

#[tokio::test]
async fn a_released_lease_is_free_at_once() {
    let bench = Bench::new("free").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;
    assert_eq!(lease.release().await.unwrap(), Released::Released);
    assert_eq!(bench.lease_value(&r).await, None);
}

#[tokio::test]
async fn c14_a_late_release_leaves_its_successor_alone() {
    let bench = Bench::new("late").await;
    let r = resource("r");
    let late = bench.acquire(&r).await;
    bench.expire(&r).await;
    let successor = bench.acquire(&r).await;

    let by = successor.fence();
    assert_eq!(late.release().await.unwrap(), Released::TakenOver { by });
    let value = format!("{by}:{}", successor.holder());
    assert_eq!(bench.lease_value(&r).await, Some(value));
}

#[tokio::test]
async fn c15_a_release_after_expiry_says_that_nobody_took_it() {
    let bench = Bench::new("expired").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;
    bench.expire(&r).await;
    assert_eq!(lease.release().await.unwrap(), Released::Expired);
}

#[tokio::test]
async fn a_release_after_a_delete_by_hand_says_that_nobody_took_it() {
    let bench = Bench::new("deleted").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;
    let _: i64 = bench.redis(format!("DEL {}", bench.lease_key(&r))).await;
    assert_eq!(lease.release().await.unwrap(), Released::Expired);
}

/// Redis forgot its numbers and gave the same one out again.
#[tokio::test]
async fn a_successor_under_the_same_number_is_still_another() {
    let bench = Bench::new("repeated").await;
    let r = resource("r");
    let late = bench.acquire(&r).await;
    let keys = format!("DEL {} {}", bench.lease_key(&r), bench.counter_key(&r));
    let _: i64 = bench.redis(keys).await;
    let successor = bench.acquire(&r).await;
    assert_eq!(late.fence(), successor.fence());

    let by = successor.fence();
    assert_eq!(late.release().await.unwrap(), Released::TakenOver { by });
    assert!(bench.lease_value(&r).await.is_some());
}

/// The holder was used for two acquisitions, which it must not be; even so each has its own fence.
#[tokio::test]
async fn a_late_release_leaves_a_later_lease_of_the_same_holder_alone() {
    let bench = Bench::new("same-holder").await;
    let r = resource("r");
    let attempt = bench.attempt(&r);
    let late = bench.lock.try_acquire(&attempt).await.unwrap();
    bench.expire(&r).await;
    let later = bench.lock.try_acquire(&attempt).await.unwrap();

    let by = later.fence();
    assert_eq!(late.release().await.unwrap(), Released::TakenOver { by });
    assert_eq!(later.release().await.unwrap(), Released::Released);
}

#[tokio::test]
async fn a_foreign_value_is_neither_taken_nor_deleted() {
    let bench = Bench::new("foreign").await;
    let r = resource("r");
    let key = bench.lease_key(&r);
    for tamper in [
        format!("SET {key} 1 PX 60000"),
        format!("SET {key} 0:x PX 60000"),
        format!("SET {key} 99999999999999999999:x PX 60000"),
        format!("SET {key} 1:no-ttl"),
    ] {
        let _: String = bench.redis(&tamper).await;
        let refused = bench.lock.try_acquire(&bench.attempt(&r)).await;
        let foreign = matches!(refused, Err(AcquireError::ForeignLease { .. }));
        assert!(foreign, "{tamper}: {refused:?}");
        assert!(bench.lease_value(&r).await.is_some(), "{tamper}");
    }
    let _: i64 = bench.redis(format!("DEL {key}")).await;

    let mut lease = bench.acquire(&r).await;
    let _: i64 = bench.redis(format!("DEL {key}")).await;
    let _: i64 = bench.redis(format!("LPUSH {key} x")).await;
    assert!(lease.renew(long()).await.is_err());
    let refused = lease.release().await;
    assert!(
        matches!(refused, Err(ReleaseError::ForeignLease { .. })),
        "{refused:?}"
    );
    let refused = bench.lock.try_acquire(&bench.attempt(&r)).await;
    assert!(
        matches!(refused, Err(AcquireError::ForeignLease { .. })),
        "{refused:?}"
    );
    assert_eq!(bench.redis::<String>(format!("TYPE {key}")).await, "list");
}

#[tokio::test]
async fn a_dropped_lease_is_given_back_in_the_background() {
    let bench = Bench::new("dropped").await;
    let r = resource("r");
    drop(bench.acquire(&r).await);
    bench.until_free(&r).await;
}

#[tokio::test]
async fn a_lease_dropped_outside_of_any_runtime_is_given_back() {
    let bench = Bench::new("thread").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;
    std::thread::spawn(move || drop(lease)).join().unwrap();
    bench.until_free(&r).await;
}

#[tokio::test]
async fn c35_a_late_drop_leaves_its_successor_alone() {
    let bench = Bench::new("late-drop").await;
    let r = resource("r");
    let late = bench.acquire(&r).await;
    bench.expire(&r).await;
    let successor = bench.acquire(&r).await;
    drop(late);
    // The background release runs on the same connection, so its command is before this one.
    tokio::task::yield_now().await;
    assert_eq!(successor.release().await.unwrap(), Released::Released);
}

#[test]
fn dropping_a_lease_while_its_runtime_shuts_down_does_not_panic() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (bench, outside, inside): (Bench, Lease, Lease) = runtime.block_on(async {
        let bench = Bench::new("shutdown").await;
        let outside = bench.acquire(&resource("outside")).await;
        let inside = bench.acquire(&resource("inside")).await;
        (bench, outside, inside)
    });
    // This task is dropped, with the lease in it, by the runtime that shuts down.
    runtime.spawn(async move {
        let _inside = inside;
        std::future::pending::<()>().await
    });
    drop(runtime);
    drop(outside);
    drop(bench);
}

/// One attempt, sent twice, is one lease. Releasing it twice must not count as two releases.
#[tokio::test]
async fn the_second_release_of_one_acquisition_says_expired() {
    let bench = Bench::new("twice").await;
    let r = resource("r");
    let attempt = bench.attempt(&r).with_floor(Floor::ZERO);
    let first = bench.lock.try_acquire(&attempt).await.unwrap();
    let replay = bench.lock.try_acquire(&attempt).await.unwrap();
    assert_eq!(first.release().await.unwrap(), Released::Released);
    assert_eq!(replay.release().await.unwrap(), Released::Expired);
}
