//! How long a holder believes in its lease.

use std::time::{Duration, Instant};

use lease_lock::{AcquireError, Attempt, Floor, RenewError, Ttl};

use crate::support::{Bench, resource, within};

/// Redis stops answering for this long; far below the time after which a call fails.
const PAUSE: Duration = Duration::from_millis(200);

fn ttl(millis: u64) -> Ttl {
    Ttl::from_millis(millis).unwrap()
}

#[tokio::test]
async fn c6_a_lease_whose_time_is_over_gives_no_permit() {
    let bench = Bench::new("over").await;
    let r = resource("r");
    let attempt = Attempt::new(r.clone(), ttl(300)).with_floor(Floor::ZERO);
    let lease = bench.lock.try_acquire(&attempt).await.unwrap();
    assert!(lease.permit().is_ok());

    within(lease.lost()).await;
    let lost = lease.permit().unwrap_err();
    assert_eq!((lost.resource, lost.fence), (r, lease.fence()));
    assert_eq!(lease.remaining(), Duration::ZERO);
}

#[tokio::test]
async fn a_renewal_moves_the_loss() {
    let bench = Bench::new("moves").await;
    let attempt = Attempt::new(resource("r"), ttl(300)).with_floor(Floor::ZERO);
    let mut lease = bench.lock.try_acquire(&attempt).await.unwrap();
    let first_end = Instant::now() + lease.remaining();
    lease.renew(ttl(600)).await.unwrap();
    within(lease.lost()).await;
    assert!(Instant::now() > first_end + Duration::from_millis(200));
}

/// The answer was slow: had trust started with it, it would outlast the lease in Redis. The pause
/// is longer than the margin of this TTL, which would hide that.
#[tokio::test]
async fn trust_counts_from_before_the_request_was_sent() {
    let bench = Bench::at_private_server().await;
    let five_seconds = ttl(5_000);
    let attempt = Attempt::new(resource("r"), five_seconds).with_floor(Floor::ZERO);
    bench.pause(PAUSE).await;
    let sent = Instant::now();
    let mut lease = bench.lock.try_acquire(&attempt).await.unwrap();
    assert!(sent.elapsed() >= PAUSE / 2, "Redis was not paused");
    assert!(lease.remaining() <= five_seconds.as_duration() - sent.elapsed());

    bench.pause(PAUSE).await;
    let sent = Instant::now();
    lease.renew(five_seconds).await.unwrap();
    assert!(sent.elapsed() >= PAUSE / 2, "Redis was not paused");
    assert!(lease.remaining() <= five_seconds.as_duration() - sent.elapsed());
}

#[tokio::test]
async fn c11_a_lease_that_is_over_when_its_reply_comes_is_not_handed_out() {
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let short = Attempt::new(r.clone(), ttl(50)).with_floor(Floor::ZERO);
    bench.pause(PAUSE).await;
    let late = bench.lock.try_acquire(&short).await;
    assert!(
        matches!(late, Err(AcquireError::TooLate { .. })),
        "{late:?}"
    );

    let mut lease = bench.acquire(&resource("other")).await;
    bench.pause(PAUSE).await;
    let late = lease.renew(ttl(50)).await;
    assert!(matches!(late, Err(RenewError::TooLate { .. })), "{late:?}");
    assert!(lease.permit().is_err());
}
