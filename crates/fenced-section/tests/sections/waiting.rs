//! A budget to wait for the lease with, and what is told when it has run out or nobody more can wait.

use std::pin::pin;
use std::time::{Duration, Instant};

use fence_guard::{Error, OpenPermit};
use fenced_section::{EnterError, EnterOptions, Reason, Resource, Section, Sections};
use lease_lock::{AcquireError, Attempt};
use testbed::Proxy;
use tokio::task::JoinHandle;

use crate::support::{BOUND, Bench, LONG, for_ms, resource, sections, within};

/// Longer than any test waits.
const PATIENT: EnterOptions = LONG.with_budget(Duration::from_secs(120));

/// Enters in the background.
fn entering(
    sections: &Sections,
    resource: &Resource,
    options: EnterOptions,
) -> JoinHandle<Result<Section, EnterError>> {
    let (sections, resource) = (sections.clone(), resource.clone());
    tokio::spawn(async move { sections.enter(&resource, &options).await })
}

#[tokio::test]
async fn an_entry_waits_for_its_turn_and_takes_nothing_over() {
    let bench = Bench::new("turn").await;
    let r = resource("r");
    let first = bench.enter(&r).await;
    let next = entering(&bench.others().await, &r, PATIENT);
    bench.until_queued(&r, 1).await;
    assert!(first.leave().await.is_clean());
    let next = within(next).await.unwrap().unwrap();
    assert_eq!((next.fence().get(), next.is_takeover()), (2, false));
    bench.write(next.open().unwrap(), "a").await.unwrap();
    assert!(next.leave().await.is_clean());
    bench.must_be_sound().await;
}

#[tokio::test]
async fn c10_at_the_end_of_its_budget_an_entry_hears_who_holds_and_for_how_long() {
    let bench = Bench::new("budget").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    let budget = Duration::from_millis(300);
    let (asked, other) = (Instant::now(), bench.others().await);
    match within(other.enter(&r, &LONG.with_budget(budget))).await {
        Err(EnterError::Held { by, remaining, .. }) => {
            assert_eq!(by, section.fence());
            assert!((1..=120_000).contains(&remaining.as_millis()));
        }
        other => panic!("{other:?}"),
    }
    assert!(asked.elapsed() >= budget);
    bench.until_queued(&r, 0).await;
}

/// Its own lease is shorter than the time that it waited for.
#[tokio::test]
async fn the_time_of_waiting_is_not_counted_as_held() {
    let bench = Bench::new("held-for").await;
    let r = resource("r");
    let holder = bench.sections.enter(&r, &for_ms(4_000)).await.unwrap();
    let options = for_ms(3_000).with_budget(BOUND);
    let (asked, other) = (Instant::now(), bench.others().await);
    let section = within(other.enter(&r, &options)).await.unwrap();
    assert!(asked.elapsed() > options.ttl.as_duration());
    assert!(section.is_takeover());
    let left = section.leave().await;
    assert!(
        left.is_clean() && left.held_for < options.ttl.as_duration(),
        "{left:?}"
    );
    let above = other.summary().hold.sections[6..].iter().sum::<u64>();
    assert_eq!(above, 0);
    assert!(holder.leave().await.overrun);
}

/// Redis loses everything while an entry waits: the lease, the queue, and the numbers.
#[tokio::test]
async fn c22_an_entry_that_waited_through_a_flush_goes_on_above_the_mark() {
    let bench = Bench::new("flush").await;
    let r = resource("r");
    bench.set_counter(&r, 6).await;
    let zombie = bench.sections.enter(&r, &for_ms(2_000)).await.unwrap();
    // A permit in hand from before the lease is lost, as a late holder has.
    let late = zombie.run(|open| async move { open }).await.unwrap();
    let other = bench.others().await;
    let next = entering(&other, &r, PATIENT);
    bench.until_queued(&r, 1).await;
    let _: () = bench.redis("FLUSHALL").await;

    let next = within(next).await.unwrap().unwrap();
    assert_eq!((next.fence().get(), next.is_takeover()), (8, true));
    assert_eq!(other.summary().healed, 1);
    match bench.write(late, "late").await {
        Err(Error::Refused(refusal)) => assert_eq!(refusal.reason(), Reason::Stale),
        other => panic!("{other:?}"),
    }
    assert!(next.leave().await.is_clean());
}

/// The time goes by while the guard is asked for its mark; somebody else takes the lease meanwhile.
#[tokio::test]
async fn the_budget_is_one_for_all_of_an_acquisition_also_where_it_heals() {
    let bench = Bench::new("one-budget").await;
    let r = resource("r");
    let budget = Duration::from_secs(3);
    let mut held = bench.pool.begin().await.unwrap();
    sqlx::query("lock table fence.resource in access exclusive mode")
        .execute(&mut *held)
        .await
        .unwrap();
    let asked = Instant::now();
    let waiting = entering(&bench.others().await, &r, LONG.with_budget(budget));
    bench.until_waiting(1).await;
    bench.set_counter(&r, 6).await;
    let attempt = Attempt::new(r.clone(), LONG.ttl);
    let lease = bench.sections.locks().try_acquire(&attempt).await.unwrap();
    tokio::time::sleep_until((asked + budget).into()).await;
    held.rollback().await.unwrap();

    let answered = Instant::now();
    match within(waiting).await.unwrap() {
        Err(EnterError::Held { by, .. }) => assert_eq!(by, lease.fence()),
        other => panic!("{other:?}"),
    }
    assert!(answered.elapsed() < budget / 2, "it waited once more");
}

#[tokio::test]
async fn a_wait_whose_reply_is_lost_goes_on_and_finds_its_own_lease() {
    let bench = Bench::new("lost-reply").await;
    let r = resource("r");
    let first = bench.enter(&r).await;
    let wire = Proxy::to(&bench.redis_url).await;
    let slow = sections(&wire.url(&bench.redis_url), &bench.database_url).await;
    let next = entering(&slow, &r, PATIENT);
    bench.until_queued(&r, 1).await;
    // The reply that is swallowed is that of the turn: a wake is none, and nothing else is asked.
    wire.swallow(1);
    assert!(first.leave().await.is_clean());
    let next = within(next).await.unwrap().unwrap();
    assert_eq!(wire.to_swallow(), 0);
    assert_eq!((next.fence().get(), next.is_takeover()), (2, false));
    assert!(next.leave().await.is_clean());
}

/// Its turn has come, and nothing is heard from Redis: after a second that is unknown, and not failed.
#[tokio::test]
async fn c9_a_turn_without_an_answer_is_asked_for_again_and_finds_its_own_lease() {
    let bench = Bench::new("no-answer").await;
    let r = resource("r");
    let first = bench.enter(&r).await;
    let wire = Proxy::to(&bench.redis_url).await;
    let slow = sections(&wire.url(&bench.redis_url), &bench.database_url).await;
    let next = entering(&slow, &r, PATIENT);
    bench.until_queued(&r, 1).await;
    wire.hold_requests_from("EVALSHA");
    assert!(first.leave().await.is_clean());
    let started = Instant::now();
    while slow.summary().unknown == 0 {
        assert!(started.elapsed() < BOUND, "it was not asked again");
        // A round trip, so that this is no busy loop.
        bench.lease(&r).await;
    }
    wire.pass();
    let next = within(next).await.unwrap().unwrap();
    assert_eq!((next.fence().get(), next.is_takeover()), (2, false));
    assert!(next.leave().await.is_clean());
}

#[tokio::test]
async fn c8_an_entry_that_is_dropped_while_it_waits_leaves_the_queue_and_no_lease() {
    let bench = Bench::new("dropped-wait").await;
    let r = resource("r");
    let first = bench.enter(&r).await;
    let other = bench.others().await;
    let waiting = entering(&other, &r, PATIENT);
    bench.until_queued(&r, 1).await;
    waiting.abort();
    assert!(within(waiting).await.unwrap_err().is_cancelled());
    bench.until_queued(&r, 0).await;
    assert!(first.leave().await.is_clean());
    assert_eq!(bench.lease(&r).await, None);
}

#[tokio::test]
async fn one_call_waits_for_its_lease_too() {
    let bench = Bench::new("once-waits").await;
    let r = resource("r");
    let first = bench.enter(&r).await;
    let (other, name) = (bench.others().await, r.clone());
    let once = tokio::spawn(async move {
        let call = async |permit: fenced_section::Permit| {
            Ok::<_, fenced_section::Refusal>(permit.fence().get())
        };
        other.once(&name, &PATIENT, call).await
    });
    bench.until_queued(&r, 1).await;
    assert!(first.leave().await.is_clean());
    assert_eq!(within(once).await.unwrap().unwrap(), 2);
    assert_eq!(bench.lease(&r).await, None);
}

#[tokio::test]
async fn resolving_waits_for_a_later_holder_as_a_new_one() {
    let bench = Bench::new("resolve-waits").await;
    let r = resource("r");
    let attempt = bench.enter(&r).await;
    let permit = attempt.permit().clone();
    assert!(attempt.leave().await.is_clean());
    let later = bench.enter(&r).await;
    let (other, stored) = (bench.others().await, permit.clone());
    let resolving = tokio::spawn(async move {
        let look = async |open: &OpenPermit| open.permit().fence().get();
        other.resolve(&stored, &PATIENT, look).await
    });
    bench.until_queued(&r, 1).await;
    assert!(later.leave().await.is_clean());
    let resolved = within(resolving).await.unwrap().unwrap();
    assert_eq!(resolved.found, 3);
    assert_ne!(
        resolved.section.permit().holder(),
        permit.holder(),
        "a wait that is dropped would free what the same holder has got elsewhere"
    );
    assert!(resolved.section.leave().await.is_clean());
}

/// The waiter has been woken, and does not answer yet: nobody here lets it go on.
#[tokio::test]
async fn c37_a_lease_that_is_reserved_for_another_is_contention_and_no_failure() {
    let bench = Bench::new("reserved").await;
    let r = resource("r");
    let first = bench.enter(&r).await;
    let other = bench.others().await;
    let mut waiting = pin!(other.enter(&r, &PATIENT));
    tokio::select! {
        early = &mut waiting => panic!("{early:?}"),
        () = bench.until_queued(&r, 1) => {}
    }
    assert!(first.leave().await.is_clean());
    let error = bench.sections.enter(&r, &LONG).await.unwrap_err();
    assert!(error.is_contention());
    match error {
        EnterError::Contended(AcquireError::Reserved { remaining, .. }) => {
            assert!((1..=500).contains(&remaining.as_millis()));
        }
        other => panic!("{other:?}"),
    }
    let served = within(waiting).await.unwrap();
    assert_eq!(served.fence().get(), 2);
}

#[tokio::test]
async fn c37_one_waiter_too_many_is_told_so_at_once() {
    let bench = Bench::new("full").await;
    let r = resource("r");
    let first = bench.enter(&r).await;
    let crowd = bench.others().await;
    let crowd: Vec<_> = (0..1024).map(|_| entering(&crowd, &r, PATIENT)).collect();
    bench.until_queued(&r, 1024).await;
    let error = within(bench.sections.enter(&r, &PATIENT)).await;
    let error = error.unwrap_err();
    assert!(error.is_contention());
    let full = matches!(
        error,
        EnterError::Contended(AcquireError::QueueFull { waiters: 1024, .. })
    );
    assert!(full, "{error:?}");
    for waiter in &crowd {
        waiter.abort();
    }
    bench.until_queued(&r, 0).await;
    assert!(first.leave().await.is_clean());
}
