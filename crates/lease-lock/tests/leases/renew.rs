//! What a renewal may do, and what it never does.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::support::{Bench, long, resource, within};
use lease_lock::{RenewError, Ttl};

#[tokio::test]
async fn c2_ten_renewals_leave_one_ttl() {
    let bench = Bench::new("ten").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    for _ in 0..10 {
        lease.renew(long()).await.unwrap();
    }
    let left: u64 = bench.redis(format!("PTTL {}", bench.lease_key(&r))).await;
    assert!(left > 30_000 && left <= long().as_millis(), "{left} ms");
    assert!(lease.remaining() <= long().as_duration());
}

#[tokio::test]
async fn a_renewal_gives_the_whole_ttl_again() {
    let bench = Bench::new("again").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    lease
        .renew(Ttl::from_millis(20_000).unwrap())
        .await
        .unwrap();
    assert!(
        lease.remaining() < Duration::from_secs(20),
        "a shorter ttl shortens"
    );
    lease.renew(long()).await.unwrap();
    assert!(lease.remaining() > Duration::from_secs(30));
}

#[tokio::test]
async fn c3_an_expired_lease_is_not_taken_again() {
    let bench = Bench::new("expired").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    bench.expire(&r).await;

    match lease.renew(long()).await {
        Err(RenewError::Expired { resource }) => assert_eq!(resource, r),
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.lease_value(&r).await, None);
    assert!(
        lease.permit().is_err(),
        "a lease that is gone gives no permit"
    );
    within(lease.lost()).await;
}

#[tokio::test]
async fn c3_a_lease_deleted_by_hand_is_not_taken_again() {
    let bench = Bench::new("deleted").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    let _: i64 = bench.redis(format!("DEL {}", bench.lease_key(&r))).await;
    let renewed = lease.renew(long()).await;
    assert!(
        matches!(renewed, Err(RenewError::Expired { .. })),
        "{renewed:?}"
    );
    assert_eq!(bench.lease_value(&r).await, None);
}

#[tokio::test]
async fn c3_a_late_renewal_does_not_prolong_its_successor() {
    let bench = Bench::new("successor").await;
    let r = resource("r");
    let mut late = bench.acquire(&r).await;
    bench.expire(&r).await;
    let successor = bench.acquire(&r).await;
    let key = bench.lease_key(&r);
    let _: i64 = bench.redis(format!("PEXPIRE {key} 30000")).await;

    match late.renew(long()).await {
        Err(RenewError::TakenOver { by, .. }) => assert_eq!(by, successor.fence()),
        other => panic!("{other:?}"),
    }
    let left: u64 = bench.redis(format!("PTTL {key}")).await;
    assert!(
        left <= 30_000,
        "the successor's lease was prolonged to {left} ms"
    );
    assert!(late.permit().is_err());
    assert!(successor.permit().is_ok());
}

/// The renewal is sent and may be in force; its future is dropped before the answer came.
#[tokio::test]
async fn a_shorter_renewal_that_was_cancelled_is_trusted_for_the_shorter_time() {
    let bench = Bench::new("cancelled").await;
    let mut lease = bench.acquire(&resource("r")).await;
    {
        let mut renewal = pin!(lease.renew(Ttl::from_millis(10_000).unwrap()));
        poll_fn(|cx| {
            assert!(renewal.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
    }
    assert!(lease.remaining() < Duration::from_secs(10));
    lease.renew(long()).await.unwrap();
    assert!(lease.remaining() > Duration::from_secs(30));
}
