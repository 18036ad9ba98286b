//! Waiters that die, hang or lose their connection, and those behind them.

use std::pin::pin;
use std::time::{Duration, Instant};

use lease_lock::{Lease, LeaseLock, Released, Resource};
use tokio::task::JoinHandle;

use crate::support::{BOUND, Bench, poll_while, resource, within};

/// A waiter in a task of its own.
fn wait(bench: &Bench, lock: &LeaseLock, r: &Resource) -> JoinHandle<Lease> {
    let (lock, attempt) = (lock.clone(), bench.attempt(r));
    tokio::spawn(async move { lock.acquire_within(&attempt, 6 * BOUND).await.unwrap() })
}

/// A waiter that gives the lease back at once: in which order they come is left open.
fn pass_through(bench: &Bench, lock: &LeaseLock, r: &Resource) -> JoinHandle<Released> {
    let waiting = wait(bench, lock, r);
    tokio::spawn(async move { waiting.await.unwrap().release().await.unwrap() })
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_waiters_do_not_block_those_behind_them() {
    let bench = Bench::new("dead").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let dead = bench.through(&proxy).await;
    let held = bench.acquire(&r).await;
    let mut dying = Vec::new();
    for count in 1..=3 {
        dying.push(wait(&bench, &dead, &r));
        bench.until_queued(&r, count).await;
    }
    let alive = wait(&bench, &bench.lock, &r);
    bench.until_queued(&r, 4).await;

    for task in dying {
        // What a killed process does: it says nothing, and its connection ends.
        proxy.hold_requests();
        task.abort();
    }
    proxy.close();
    until_deaf(&bench, &r).await;
    let queue = bench.queue(&r).await;
    assert_eq!(held.release().await.unwrap(), Released::Released);
    let value = bench.lease_value(&r).await;
    let reserved = format!("next:{}", queue[0]);
    assert_ne!(value, Some(reserved), "nobody listens there");
    let lease = within(alive).await.unwrap();
    assert!(
        bench.queue(&r).await.is_empty(),
        "the dead are still queued"
    );
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

/// Waits until the first in the queue has no connection any more.
async fn until_deaf(bench: &Bench, r: &Resource) {
    let started = Instant::now();
    let first = bench.queue(r).await.remove(0);
    let (_, channel) = first.split_once('@').unwrap();
    loop {
        let listeners: (String, u64) = bench.redis(format!("PUBSUB NUMSUB {channel}")).await;
        if listeners.1 == 0 {
            return;
        }
        assert!(started.elapsed() < BOUND, "the connection was not ended");
    }
}

/// Its connection stands, and it does nothing: nobody can tell it from one that is only slow. All of
/// its waiters together cost those behind them one reservation.
#[tokio::test(flavor = "multi_thread")]
async fn a_hung_client_with_many_waiters_blocks_those_behind_it_for_one_reservation() {
    let bench = Bench::new("hung").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let hung = bench.through(&proxy).await;
    let held = bench.acquire(&r).await;
    let mut waiters = Vec::new();
    for count in 1..=20 {
        waiters.push(pass_through(&bench, &hung, &r));
        bench.until_queued(&r, count).await;
    }
    let behind = wait(&bench, &bench.lock, &r);
    bench.until_queued(&r, 21).await;

    proxy.hold_replies();
    proxy.hold_requests();
    let started = Instant::now();
    assert_eq!(held.release().await.unwrap(), Released::Released);
    let lease = within(behind).await.unwrap();
    let took = started.elapsed();
    assert!(
        took < Duration::from_secs(8),
        "20 × 500 ms are too long: {took:?}"
    );

    // It was only slow: its waiters are told that they have lost their places, and queue again.
    proxy.pass();
    bench.until_queued(&r, 20).await;
    assert_eq!(lease.release().await.unwrap(), Released::Released);
    for waiter in waiters {
        assert_eq!(within(waiter).await.unwrap(), Released::Released);
    }
}

/// The client lives, but the task that was woken does not come to ask.
#[tokio::test(flavor = "multi_thread")]
async fn a_hung_task_does_not_block_the_other_waiters_of_its_client() {
    let bench = Bench::new("hung-task").await;
    let r = resource("r");
    let held = bench.acquire(&r).await;
    let attempt = bench.attempt(&r);
    let mut hung = pin!(bench.lock.acquire_within(&attempt, 6 * BOUND));
    poll_while(hung.as_mut(), bench.until_queued(&r, 1)).await;
    let behind = wait(&bench, &bench.lock, &r);
    bench.until_queued(&r, 2).await;

    assert_eq!(held.release().await.unwrap(), Released::Released);
    let lease = within(behind).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
    assert_eq!(within(hung).await.unwrap().holder(), attempt.holder());
}

/// The holder and the first in the queue die together, as they do where one process has both.
#[tokio::test(flavor = "multi_thread")]
async fn when_the_holder_and_the_first_waiter_die_together_the_next_one_notices() {
    let bench = Bench::new("both").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let doomed = bench.through(&proxy).await;
    let short = lease_lock::Ttl::from_millis(1_500).unwrap();
    let attempt = lease_lock::Attempt::new(r.clone(), short);
    let attempt = attempt.with_floor(lease_lock::Floor::ZERO);
    std::mem::forget(doomed.try_acquire(&attempt).await.unwrap());
    let first = wait(&bench, &doomed, &r);
    bench.until_queued(&r, 1).await;
    let next = wait(&bench, &bench.lock, &r);
    bench.until_queued(&r, 2).await;

    proxy.close();
    assert!(within(next).await.unwrap().permit().is_ok());
    first.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn waiters_whose_connection_is_cut_queue_again_on_the_next_one() {
    let bench = Bench::new("cut").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let cut = bench.through(&proxy).await;
    let held = bench.acquire(&r).await;
    let waiters = [(); 2].map(|()| pass_through(&bench, &cut, &r));
    bench.until_queued(&r, 2).await;

    // A later reply on the same connection says that theirs have come: they wait, and ask nothing.
    let other = cut.try_acquire(&bench.attempt(&resource("other"))).await;
    assert!(other.is_ok());

    // Their places are lost as well: whatever was woken meanwhile heard nothing.
    proxy.hold_requests();
    proxy.cut();
    let queue = bench.lock.prefix().queue_key(&r);
    let _: i64 = bench.redis(format!("DEL {queue}")).await;
    proxy.pass();
    bench.until_queued(&r, 2).await;
    assert_eq!(held.release().await.unwrap(), Released::Released);
    for waiter in waiters {
        assert_eq!(within(waiter).await.unwrap(), Released::Released);
    }
}

/// What a restart does, without the time that it takes.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiter_survives_a_redis_that_has_lost_its_memory() {
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    std::mem::forget(bench.acquire(&r).await);
    let waiter = wait(&bench, &bench.lock, &r);
    bench.until_queued(&r, 1).await;
    let _: () = bench.redis("FLUSHALL").await;
    let _: i64 = bench.redis("CLIENT KILL TYPE pubsub").await;
    assert!(within(waiter).await.unwrap().permit().is_ok());
}
