//! Redis forgets: what is refused, and how numbers go on above the guard's mark.

use lease_lock::{AcquireError, Attempt, Fence, Floor, RemintError};

use crate::support::{Bench, long, resource};

fn floor(number: u64) -> Floor {
    Floor::new(number).unwrap()
}

#[tokio::test]
async fn c22_without_a_counter_nothing_is_minted_until_a_floor_is_given() {
    let bench = Bench::new("missing").await;
    let r = resource("r");
    let attempt = Attempt::new(r.clone(), long());
    match bench.lock.try_acquire(&attempt).await {
        Err(AcquireError::CounterMissing { resource }) => assert_eq!(resource, r),
        other => panic!("{other:?}"),
    }
    let keys = format!("EXISTS {} {}", bench.lease_key(&r), bench.counter_key(&r));
    assert_eq!(bench.redis::<u64>(keys).await, 0);

    let attempt = attempt.with_floor(floor(7));
    let lease = bench.lock.try_acquire(&attempt).await.unwrap();
    assert_eq!(lease.fence().get(), 8);
}

#[tokio::test]
async fn c22_a_counter_that_was_evicted_is_missed() {
    let bench = Bench::new("evicted").await;
    let r = resource("r");
    let _ = bench.acquire(&r).await.release().await.unwrap();
    let _: i64 = bench.redis(format!("DEL {}", bench.counter_key(&r))).await;
    let refused = bench
        .lock
        .try_acquire(&Attempt::new(r.clone(), long()))
        .await;
    assert!(
        matches!(refused, Err(AcquireError::CounterMissing { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn c22_after_a_flush_the_numbers_go_on_above_the_mark() {
    // A server of its own: a flush takes what others have as well.
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let before = bench.acquire(&r).await;
    let _: () = bench.redis("FLUSHALL").await;

    let attempt = Attempt::new(r.clone(), long());
    let refused = bench.lock.try_acquire(&attempt).await;
    assert!(
        matches!(refused, Err(AcquireError::CounterMissing { .. })),
        "{refused:?}"
    );
    let mark = before.fence().as_floor();
    let after = bench
        .lock
        .try_acquire(&attempt.with_floor(mark))
        .await
        .unwrap();
    assert!(after.fence() > before.fence());
}

#[tokio::test]
async fn c22_a_counter_from_an_old_snapshot_is_raised_to_the_floor() {
    let bench = Bench::new("snapshot").await;
    let r = resource("r");
    let _: () = bench
        .redis(format!("SET {} 5", bench.counter_key(&r)))
        .await;
    let attempt = bench.attempt(&r).with_floor(floor(100));
    assert_eq!(
        bench
            .lock
            .try_acquire(&attempt)
            .await
            .unwrap()
            .fence()
            .get(),
        101
    );
}

#[tokio::test]
async fn a_floor_below_the_counter_changes_nothing() {
    let bench = Bench::new("below").await;
    let r = resource("r");
    let _: () = bench
        .redis(format!("SET {} 100", bench.counter_key(&r)))
        .await;
    // As text, "9" is greater than "100".
    let attempt = bench.attempt(&r).with_floor(floor(9));
    assert_eq!(
        bench
            .lock
            .try_acquire(&attempt)
            .await
            .unwrap()
            .fence()
            .get(),
        101
    );
}

#[tokio::test]
async fn one_poisoned_mark_does_not_use_up_a_bucket() {
    let bench = Bench::new("poisoned").await;
    let r = resource("r");
    let key = bench.counter_key(&r);
    let leap = 1 << 40;
    for (counter, highest) in [(5, 5 + leap), (1 << 60, (1 << 60) + leap)] {
        let _: () = bench.redis(format!("SET {key} {counter}")).await;
        let poisoned = bench.attempt(&r).with_floor(floor(highest + 1));
        match bench.lock.try_acquire(&poisoned).await {
            Err(AcquireError::FloorTooFar {
                floor: told,
                counter: seen,
                ..
            }) => {
                assert_eq!(told, floor(highest + 1));
                assert_eq!(seen, Some(Fence::new(counter).unwrap()));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(bench.redis::<u64>(format!("GET {key}")).await, counter);
        assert_eq!(bench.lease_value(&r).await, None);

        let just_near_enough = bench.attempt(&r).with_floor(floor(highest));
        let lease = bench.lock.try_acquire(&just_near_enough).await.unwrap();
        assert_eq!(lease.fence().get(), highest + 1);
        let _ = lease.release().await.unwrap();
    }
}

#[tokio::test]
async fn a_new_counter_does_not_start_in_the_upper_half_of_the_numbers() {
    let bench = Bench::new("upper").await;
    let r = resource("r");
    for too_far in [floor((1 << 61) + 1), Fence::MAX.as_floor()] {
        let attempt = bench.attempt(&r).with_floor(too_far);
        let refused = bench.lock.try_acquire(&attempt).await;
        let refused = matches!(
            refused,
            Err(AcquireError::FloorTooFar { counter: None, .. })
        );
        assert!(refused, "{too_far}");
    }
    let keys = format!("EXISTS {} {}", bench.lease_key(&r), bench.counter_key(&r));
    assert_eq!(bench.redis::<u64>(keys).await, 0);

    let attempt = bench.attempt(&r).with_floor(floor(1 << 61));
    assert_eq!(
        bench
            .lock
            .try_acquire(&attempt)
            .await
            .unwrap()
            .fence()
            .get(),
        (1 << 61) + 1
    );
}

#[tokio::test]
async fn a_remint_mints_above_the_floor_into_the_same_lease() {
    let bench = Bench::new("remint").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    let (key, holder) = (bench.lease_key(&r), lease.holder());
    let _: i64 = bench.redis(format!("PEXPIRE {key} 20000")).await;

    assert_eq!(lease.remint(floor(7)).await.unwrap().get(), 8);
    assert_eq!((lease.fence().get(), lease.holder()), (8, holder));
    assert_eq!(lease.permit().unwrap().fence().get(), 8);
    assert_eq!(bench.lease_value(&r).await, Some(format!("8:{holder}")));
    let left: u64 = bench.redis(format!("PTTL {key}")).await;
    assert!(
        (10_000..=20_000).contains(&left),
        "the time changed: {left} ms"
    );

    // The reply of a remint may be lost: asking again does not mint again.
    assert_eq!(lease.remint(floor(7)).await.unwrap().get(), 8);
    lease.renew(long()).await.unwrap();
    assert_eq!(lease.remint(floor(8)).await.unwrap().get(), 9);
}

#[tokio::test]
async fn a_remint_brings_a_missing_counter_back() {
    let bench = Bench::new("remint-missing").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    let _: i64 = bench.redis(format!("DEL {}", bench.counter_key(&r))).await;
    assert_eq!(lease.remint(floor(7)).await.unwrap().get(), 8);
}

#[tokio::test]
async fn the_same_attempt_with_a_floor_remints_too() {
    let bench = Bench::new("attempt-remint").await;
    let r = resource("r");
    let attempt = bench.attempt(&r);
    let first = bench.lock.try_acquire(&attempt).await.unwrap();
    let again = bench
        .lock
        .try_acquire(&attempt.with_floor(floor(7)))
        .await
        .unwrap();
    assert_eq!(again.fence().get(), 8);
    assert_eq!(again.holder(), first.holder());
}

#[tokio::test]
async fn a_remint_never_takes_a_lease_again() {
    let bench = Bench::new("remint-gone").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    bench.expire(&r).await;
    let refused = lease.remint(floor(7)).await;
    assert!(
        matches!(refused, Err(RemintError::Expired { .. })),
        "{refused:?}"
    );
    assert_eq!(bench.lease_value(&r).await, None);
    assert!(lease.permit().is_err());

    let mut late = bench.acquire(&r).await;
    bench.expire(&r).await;
    let successor = bench.acquire(&r).await;
    match late.remint(floor(7)).await {
        Err(RemintError::TakenOver { by, .. }) => assert_eq!(by, successor.fence()),
        other => panic!("{other:?}"),
    }
    assert!(late.permit().is_err());
}

#[tokio::test]
async fn a_remint_that_is_refused_leaves_the_lease_held() {
    let bench = Bench::new("remint-refused").await;
    let r = resource("r");
    let mut lease = bench.acquire(&r).await;
    let before = lease.permit().unwrap();
    let refused = lease.remint(Fence::MAX.as_floor()).await;
    assert!(
        matches!(
            refused,
            Err(RemintError::NotMinted(AcquireError::FloorTooFar { .. }))
        ),
        "{refused:?}"
    );
    assert_eq!(lease.permit().unwrap(), before);
    lease.renew(long()).await.unwrap();
}
