//! How long a waiter waits, and how it stops.

use std::pin::pin;
use std::time::{Duration, Instant};

use lease_lock::{AcquireError, Attempt, Floor, Released, Ttl};

use crate::support::{BOUND, Bench, long, poll_while, resource, within};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[tokio::test]
async fn c10_at_the_deadline_the_error_says_who_holds_it_and_for_how_long() {
    let bench = Bench::new("deadline").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;
    // Once as the first contention of the client, and once as a later one.
    for _ in 0..2 {
        let started = Instant::now();
        let attempt = bench.attempt(&r);
        match bench.lock.acquire_within(&attempt, millis(200)).await {
            Err(AcquireError::Held { remaining, by, .. }) => {
                assert_eq!(by, lease.fence());
                assert!(remaining > millis(30_000) && remaining <= long().as_duration());
            }
            other => panic!("{other:?}"),
        }
        assert!(started.elapsed() >= millis(200), "it gave up too early");
        assert!(bench.queue(&r).await.is_empty(), "it is still in the queue");
    }
}

#[tokio::test]
async fn a_budget_of_nothing_asks_once() {
    let bench = Bench::new("nothing").await;
    let r = resource("r");
    let lease = bench.acquire(&r).await;
    let attempt = bench.attempt(&r);
    let refused = bench.lock.acquire_within(&attempt, Duration::ZERO).await;
    assert!(matches!(refused, Err(AcquireError::Held { .. })));
    assert_eq!(lease.release().await.unwrap(), Released::Released);
    let attempt = bench.attempt(&r);
    let taken = bench.lock.acquire_within(&attempt, Duration::ZERO).await;
    assert_eq!(taken.unwrap().holder(), attempt.holder());
}

#[tokio::test]
async fn the_budget_does_not_shorten_the_lease() {
    let bench = Bench::new("budget").await;
    let r = resource("r");
    let held = bench.acquire(&r).await;
    let attempt = bench.attempt(&r);
    let mut waiter = pin!(bench.lock.acquire_within(&attempt, BOUND));
    poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;
    assert_eq!(held.release().await.unwrap(), Released::Released);
    let lease = within(waiter).await.unwrap();
    assert!(lease.remaining() > long().as_duration() / 2);
}

/// The wake comes in time and the grant does not: the answer takes longer than the lease lives.
#[tokio::test]
async fn c11_a_turn_that_is_over_when_it_comes_is_not_handed_out_and_passed_on() {
    let bench = Bench::new("late-turn").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let slow = bench.through(&proxy).await;
    let held = bench.acquire(&r).await;
    let short = Attempt::new(r.clone(), Ttl::from_millis(100).unwrap());
    let mut waiter = pin!(slow.acquire_within(&short, BOUND));
    poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;

    proxy.delay_replies(millis(200));
    assert_eq!(held.release().await.unwrap(), Released::Released);
    let late = within(waiter).await;
    let too_late = matches!(late, Err(AcquireError::TooLate { .. }));
    assert!(too_late, "{late:?}");
    bench.until_free(&r).await;
}

#[tokio::test]
async fn a_cancelled_waiter_leaves_the_queue() {
    let bench = Bench::new("cancelled").await;
    let r = resource("r");
    let _held = bench.acquire(&r).await;
    {
        let attempt = bench.attempt(&r);
        let mut waiter = pin!(bench.lock.acquire_within(&attempt, BOUND));
        poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;
    }
    bench.until_queued(&r, 0).await;
}

/// The reservation would last for ten minutes: only whoever was woken can pass it on in time.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiter_that_is_cancelled_as_its_wake_comes_passes_it_on() {
    let bench = Bench::new("raced").await;
    let r = resource("r");
    let held = bench.acquire(&r).await;
    let first = bench.attempt(&r);
    let mut cancelled = Box::pin(bench.lock.acquire_within(&first, BOUND));
    poll_while(cancelled.as_mut(), bench.until_queued(&r, 1)).await;
    let (lock, second) = (bench.lock.clone(), bench.attempt(&r));
    let next = tokio::spawn(async move { lock.acquire_within(&second, 3 * BOUND).await });
    bench.until_queued(&r, 2).await;

    assert_eq!(held.release().await.unwrap(), Released::Released);
    bench.until_reserved(&r).await;
    let key = bench.lease_key(&r);
    let _: i64 = bench.redis(format!("PEXPIRE {key} 600000")).await;
    drop(cancelled);
    assert!(within(next).await.unwrap().is_ok());
}

/// The waiter left, and the wake was on its way: the client that hears it has nobody to give it to.
#[tokio::test(flavor = "multi_thread")]
async fn a_wake_for_a_waiter_that_has_gone_is_passed_on() {
    let bench = Bench::new("stray").await;
    let r = resource("r");
    let held = bench.acquire(&r).await;
    let (lock, attempt) = (bench.lock.clone(), bench.attempt(&r));
    let next = tokio::spawn(async move { lock.acquire_within(&attempt, 3 * BOUND).await });
    bench.until_queued(&r, 1).await;

    let queued = bench.queue(&r).await;
    let (_, channel) = queued[0].split_once('@').unwrap();
    let key = bench.lease_key(&r);
    let gone = format!("SET {key} next:999@{channel} PX 600000");
    let _: () = bench.redis(gone).await;
    bench.publish(channel, &format!("wake 999 {key}")).await;
    let by = within(next).await.unwrap().unwrap().fence();
    assert!(by > held.fence());
}

#[tokio::test]
async fn waiters_are_bounded_and_one_too_many_is_told_so() {
    let bench = Bench::new("full").await;
    let r = resource("r");
    let _held = bench.acquire(&r).await;
    let queue = bench.lock.prefix().queue_key(&r);
    let members: String = (1..=1_024).map(|n| format!(" {n} {n}@nobody")).collect();
    let _: i64 = bench.redis(format!("ZADD {queue}{members}")).await;
    match bench.lock.acquire_within(&bench.attempt(&r), BOUND).await {
        Err(AcquireError::QueueFull { resource, waiters }) => {
            assert_eq!((resource, waiters), (r, 1_024));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_queue_ends_by_itself_after_its_longest_wait() {
    let bench = Bench::new("life").await;
    let r = resource("r");
    let _held = bench.acquire(&r).await;
    let proxy = bench.proxy().await;
    let lost = bench.through(&proxy).await;
    let attempt = bench.attempt(&r);
    let mut waiter = pin!(lost.acquire_within(&attempt, BOUND));
    poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;
    let queue = bench.lock.prefix().queue_key(&r);
    let left: i64 = bench.redis(format!("PTTL {queue}")).await;
    let longest = BOUND.as_millis() as i64 + 1_000;
    assert!(left > 0 && left <= longest, "{left} ms");

    let shorter = bench.attempt(&r);
    let refused = bench.lock.acquire_within(&shorter, millis(50)).await;
    assert!(refused.is_err());
    let after: i64 = bench.redis(format!("PTTL {queue}")).await;
    assert!(
        after > 2_000,
        "a shorter wait has cut the longer one: {after} ms"
    );
}

/// Without a channel there is no wake and no order, but neither is there a busy loop.
#[tokio::test]
async fn a_user_who_may_not_subscribe_asks_again_when_the_lease_has_ended() {
    let bench = Bench::at_private_server().await;
    let acl = "ACL SETUSER bound on >pw ~* resetchannels +@all";
    let _: () = bench.redis(acl).await;
    let url = bench.url().replace("//", "//bound:pw@");
    let bound = lease_lock::LeaseLock::connect(&url, bench.lock.prefix().clone());
    let bound = bound.await.unwrap();
    let r = resource("r");
    let gone = Attempt::new(r.clone(), Ttl::from_millis(700).unwrap()).with_floor(Floor::ZERO);
    std::mem::forget(bench.lock.try_acquire(&gone).await.unwrap());
    let _: () = bench.redis("CONFIG RESETSTAT").await;

    let attempt = bench.attempt(&r);
    let lease = within(bound.acquire_within(&attempt, BOUND)).await.unwrap();
    assert_eq!(lease.holder(), attempt.holder());
    // Refused by the lease, refused when waiting without a channel, and then at its end.
    let calls = bench.calls().await;
    assert!(calls["evalsha"] <= 4, "{calls:?}");

    let started = Instant::now();
    let late = bound.acquire_within(&bench.attempt(&r), millis(150)).await;
    assert!(matches!(late, Err(AcquireError::Held { .. })), "{late:?}");
    assert!(started.elapsed() >= millis(150));
}
