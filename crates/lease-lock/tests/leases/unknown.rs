//! Replies that are lost and futures that are dropped: what was done on the server meanwhile.

use std::pin::pin;

use lease_lock::{AcquireError, Attempt, ReleaseError, Released};

use crate::support::{BOUND, Bench, long, poll_while, resource, within};

#[tokio::test]
async fn c7_an_acquisition_that_ran_after_its_client_had_given_up_is_found_by_the_same_attempt() {
    let bench = Bench::new("ran-late").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let slow = bench.through(&proxy).await;
    let _ = bench.acquire(&r).await.release().await.unwrap(); // there is a counter now
    let attempt = Attempt::new(r.clone(), long());
    proxy.hold_requests();
    for waits in [false, true] {
        let answer = match waits {
            false => slow.try_acquire(&attempt).await,
            true => slow.acquire_within(&attempt, BOUND).await,
        };
        let unknown = matches!(answer, Err(AcquireError::Unknown(_)));
        assert!(unknown, "{answer:?}");
    }
    proxy.pass();
    let lease = within(slow.acquire_within(&attempt, BOUND)).await.unwrap();
    let value = format!("{}:{}", lease.fence(), attempt.holder());
    assert_eq!(bench.lease_value(&r).await, Some(value));
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

/// The server has granted, and the reply is on its way, when the caller loses interest.
#[tokio::test]
async fn c8_a_wait_dropped_after_the_server_granted_leaves_no_orphan() {
    let bench = Bench::new("orphan").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let slow = bench.through(&proxy).await;
    let held = bench.acquire(&r).await;
    {
        let attempt = bench.attempt(&r);
        let mut waiter = pin!(slow.acquire_within(&attempt, BOUND));
        poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;
        proxy.hold_requests_from("EVALSHA");
        let granted = async {
            assert_eq!(held.release().await.unwrap(), Released::Released);
            proxy.caught().await; // the wake has been heard, and this is the answer to it
            proxy.hold_replies();
            proxy.pass_requests();
            bench.until_held_by(&r, attempt.holder()).await;
        };
        poll_while(waiter.as_mut(), granted).await;
    }
    bench.until_free(&r).await;
    proxy.pass();
}

#[tokio::test]
async fn c9_a_granted_turn_whose_reply_was_lost_is_not_granted_twice() {
    let bench = Bench::new("lost-turn").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let slow = bench.through(&proxy).await;
    let _ = bench.acquire(&r).await.release().await.unwrap();
    let attempt = Attempt::new(r.clone(), long());
    proxy.hold_replies();
    let mut waiter = pin!(slow.acquire_within(&attempt, BOUND));
    poll_while(waiter.as_mut(), bench.until_held_by(&r, attempt.holder())).await;
    let granted = bench.lease_value(&r).await;
    proxy.cut();
    proxy.pass();
    // Whether the call is repeated by itself or by its caller, it finds the one lease.
    let lease = match within(waiter).await {
        Ok(lease) => lease,
        Err(AcquireError::Unknown(_)) => slow.acquire_within(&attempt, BOUND).await.unwrap(),
        Err(other) => panic!("{other:?}"),
    };
    let value = format!("{}:{}", lease.fence(), lease.holder());
    assert_eq!(granted, Some(value));
}

#[tokio::test]
async fn a_release_whose_reply_was_lost_is_unknown_and_wakes_the_next_all_the_same() {
    let bench = Bench::new("lost-release").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let slow = bench.through(&proxy).await;
    let held = slow.try_acquire(&bench.attempt(&r)).await.unwrap();
    let attempt = bench.attempt(&r);
    let mut waiter = pin!(bench.lock.acquire_within(&attempt, BOUND));
    poll_while(waiter.as_mut(), bench.until_queued(&r, 1)).await;
    proxy.hold_replies();
    let (released, lease) = tokio::join!(held.release(), within(waiter));
    assert!(matches!(released, Err(ReleaseError::Unknown(_))));
    assert_eq!(lease.unwrap().holder(), attempt.holder());
}

/// A recovery takes "stuck" work over, and then the late worker's clean-up runs.
#[tokio::test(flavor = "multi_thread")]
async fn c35_a_late_worker_neither_frees_its_successor_nor_wakes_anybody() {
    let bench = Bench::new("late-worker").await;
    let r = resource("r");
    let late = bench.acquire(&r).await;
    bench.expire(&r).await;
    let successor = bench.acquire(&r).await;
    let (lock, attempt) = (bench.lock.clone(), bench.attempt(&r));
    let waiter = tokio::spawn(async move { lock.acquire_within(&attempt, BOUND).await });
    bench.until_queued(&r, 1).await;

    let by = successor.fence();
    assert_eq!(late.release().await.unwrap(), Released::TakenOver { by });
    let value = format!("{by}:{}", successor.holder());
    assert_eq!(bench.lease_value(&r).await, Some(value));
    assert!(!waiter.is_finished());
    assert_eq!(successor.release().await.unwrap(), Released::Released);
    assert!(within(waiter).await.unwrap().is_ok());
}

/// The owner completed its work and left; whoever had marked it as stuck finds that by the number.
#[tokio::test]
async fn c34_whoever_recovers_stuck_work_bears_a_higher_fence_than_its_owner() {
    let bench = Bench::new("recovery").await;
    let r = resource("r");
    let owner = bench.acquire(&r).await;
    let owners = owner.permit().unwrap();
    let attempt = bench.attempt(&r);
    let mut recovery = pin!(bench.lock.acquire_within(&attempt, BOUND));
    poll_while(recovery.as_mut(), bench.until_queued(&r, 1)).await;
    assert_eq!(owner.release().await.unwrap(), Released::Released);
    let recovery = within(recovery).await.unwrap();
    assert!(recovery.fence() > owners.fence());
}
