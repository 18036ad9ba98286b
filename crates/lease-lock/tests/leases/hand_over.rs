//! From a holder to the next waiter: in which order, and at what price.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lease_lock::{AcquireError, Attempt, Floor, LeaseLock, Released, RenewError, Resource, Ttl};
use tokio::task::JoinHandle;

use crate::support::{BOUND, Bench, long, poll_while, resource, within};

/// Long enough for a client that polls to be seen.
const QUIET: Duration = Duration::from_millis(1_500);

/// Waits for the lease, notes who it is, and gives the lease back.
fn take_a_turn(
    lock: &LeaseLock,
    r: &Resource,
    who: usize,
    served: &Arc<Mutex<Vec<usize>>>,
) -> JoinHandle<()> {
    let (lock, served) = (lock.clone(), served.clone());
    let attempt = Attempt::new(r.clone(), long());
    tokio::spawn(async move {
        let lease = lock.acquire_within(&attempt, 6 * BOUND).await.unwrap();
        served.lock().unwrap().push(who);
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_first_is_served_first_whichever_client_it_is_of() {
    let bench = Bench::new("order").await;
    let r = resource("r");
    let clients = [bench.another().await, bench.another().await];
    let held = bench.acquire(&r).await;
    let served = Arc::default();
    let mut turns = Vec::new();
    for who in 0..8 {
        turns.push(take_a_turn(&clients[who % 2], &r, who, &served));
        bench.until_queued(&r, who + 1).await;
    }
    assert_eq!(held.release().await.unwrap(), Released::Released);
    for turn in turns {
        within(turn).await.unwrap();
    }
    assert_eq!(*served.lock().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(bench.lease_value(&r).await, None);
    assert!(bench.queue(&r).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_a_thousand_waiters_send_nothing_while_the_lease_is_held() {
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let _held = bench.acquire(&r).await;
    let waiters: Vec<_> = (0..1_000)
        .map(|_| {
            let (lock, attempt) = (bench.lock.clone(), bench.attempt(&r));
            tokio::spawn(async move { lock.acquire_within(&attempt, 6 * BOUND).await })
        })
        .collect();
    bench.until_queued(&r, 1_000).await;
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    tokio::time::sleep(QUIET).await;
    let calls = bench.calls().await;
    assert_eq!(calls.keys().collect::<Vec<_>>(), ["config"]);
    for waiter in waiters {
        assert!(!waiter.is_finished());
        waiter.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hand_over_among_64_waiters_is_at_most_five_commands() {
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let held = bench.acquire(&r).await;
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    let served = Arc::default();
    let turns: Vec<_> = (0..64)
        .map(|who| take_a_turn(&bench.lock, &r, who, &served))
        .collect();
    bench.until_queued(&r, 64).await;
    assert_eq!(held.release().await.unwrap(), Released::Released);
    for turn in turns {
        within(turn).await.unwrap();
    }
    let calls = bench.calls().await;
    assert!(calls["evalsha"] <= 5 * 64, "{calls:?}");
    assert_eq!(calls["subscribe"], 1, "once per client");
    // One wake per hand-over, and nobody else to tell; a few more where this machine stood still.
    assert!((64..=72).contains(&calls["publish"]), "{calls:?}");
}

/// The waiter was woken, and is on its way: its request does not reach Redis yet.
#[tokio::test]
async fn nobody_barges_in_while_a_woken_waiter_is_on_its_way() {
    let bench = Bench::new("barge").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let slow = bench.through(&proxy).await;
    let held = bench.acquire(&r).await;
    let attempt = bench.attempt(&r);
    let mut waiter = pin!(slow.acquire_within(&attempt, BOUND));
    poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;

    proxy.hold_requests();
    assert_eq!(held.release().await.unwrap(), Released::Released);
    match bench.lock.try_acquire(&bench.attempt(&r)).await {
        Err(AcquireError::Reserved {
            resource,
            remaining,
        }) => {
            assert_eq!(resource, r);
            assert!(remaining <= Duration::from_millis(500));
        }
        other => panic!("barged in: {other:?}"),
    }
    proxy.pass();
    assert_eq!(within(waiter).await.unwrap().holder(), attempt.holder());
}

#[tokio::test]
async fn a_reservation_is_nobodys_lease() {
    let bench = Bench::new("nobodys").await;
    let r = resource("r");
    let mut late = bench.acquire(&r).await;
    let attempt = bench.attempt(&r);
    let mut waiter = pin!(bench.lock.acquire_within(&attempt, BOUND));
    poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;
    let key = bench.lease_key(&r);
    let waiters = bench.queue(&r).await;
    let reserve = format!("SET {key} next:{} PX 60000", waiters[0]);
    let _: () = bench.redis(reserve).await;

    let renewed = late.renew(long()).await;
    let expired = matches!(renewed, Err(RenewError::Expired { .. }));
    assert!(expired, "{renewed:?}");
    assert_eq!(late.release().await.unwrap(), Released::Expired);
    let value = bench.lease_value(&r).await;
    assert_eq!(value, Some(format!("next:{}", waiters[0])));
}

/// The next waiter is of another client, and was told to look should the woken one hang.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_hand_over_nobody_asks_while_the_new_holder_has_it() {
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let held = bench.acquire(&r).await;
    let wait = |lock: LeaseLock, attempt: Attempt| {
        tokio::spawn(async move { lock.acquire_within(&attempt, 6 * BOUND).await })
    };
    let next = wait(bench.lock.clone(), bench.attempt(&r));
    bench.until_queued(&r, 1).await;
    let behind = wait(bench.another().await, bench.attempt(&r));
    bench.until_queued(&r, 2).await;
    assert_eq!(held.release().await.unwrap(), Released::Released);
    let _lease = within(next).await.unwrap().unwrap();
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    tokio::time::sleep(QUIET).await;
    let calls = bench.calls().await;
    assert_eq!(calls.keys().collect::<Vec<_>>(), ["config"]);
    behind.abort();
}

/// Nobody released, so nobody was woken: the lease is free, and the waiter does not know it yet.
#[tokio::test]
async fn nobody_barges_in_when_a_lease_has_expired() {
    let bench = Bench::new("barge-expired").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let slow = bench.through(&proxy).await;
    std::mem::forget(bench.acquire(&r).await);
    let attempt = bench.attempt(&r);
    let mut waiter = pin!(slow.acquire_within(&attempt, BOUND));
    poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;

    proxy.hold_requests();
    bench.expire(&r).await;
    let refused = bench.lock.try_acquire(&bench.attempt(&r)).await;
    let reserved = matches!(refused, Err(AcquireError::Reserved { .. }));
    assert!(reserved, "barged in: {refused:?}");
    proxy.pass();
    assert_eq!(within(waiter).await.unwrap().holder(), attempt.holder());
}

#[tokio::test]
async fn c12_a_release_before_or_after_the_subscription_is_not_missed() {
    for before in [true, false] {
        let bench = Bench::new("c12").await;
        let r = resource("r");
        let proxy = bench.proxy().await;
        let slow = bench.through(&proxy).await;
        let held = bench.acquire(&r).await;
        // The refusal has come, the subscription is on its way; or it is there, and the place in
        // the queue is not.
        match before {
            true => proxy.hold_requests_from("SUBSCRIBE"),
            false => proxy.hold_requests_after("SUBSCRIBE"),
        }
        let attempt = bench.attempt(&r);
        let mut waiter = pin!(slow.acquire_within(&attempt, BOUND));
        poll_while(waiter.as_mut(), proxy.caught()).await;
        assert_eq!(held.release().await.unwrap(), Released::Released);
        proxy.pass();
        assert_eq!(within(waiter).await.unwrap().holder(), attempt.holder());
    }
}

/// The holder is gone without a word. Its end is a timer of the first waiter, and of it alone.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_waiter_takes_an_expired_lease_and_no_other_one_asks() {
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let short = Ttl::from_millis(400).unwrap();
    let gone = Attempt::new(r.clone(), short).with_floor(Floor::ZERO);
    std::mem::forget(bench.lock.try_acquire(&gone).await.unwrap());
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    let served = Arc::default();
    let turns: Vec<_> = (0..8)
        .map(|who| take_a_turn(&bench.lock, &r, who, &served))
        .collect();
    for turn in turns {
        within(turn).await.unwrap();
    }
    // Refused, queued, served, released; and what the end of the lease takes in looks.
    let calls = bench.calls().await;
    assert!(calls["evalsha"] <= 5 * 8, "{calls:?}");
}
