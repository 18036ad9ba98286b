//! Leaving is bounded, says how it went, and is done also when nobody waits for it.

use std::time::{Duration, Instant};

use fence_guard::Closed;
use fenced_section::{NotDone, Released};
use uuid::Uuid;

use crate::support::{BOUND, Bench, LONG, for_ms, resource, within};

/// Twice the step, and what a busy machine adds.
const LEFT_WITHIN: Duration = Duration::from_secs(15);

#[tokio::test]
async fn leaving_without_redis_closes_is_bounded_and_says_that_nothing_was_released() {
    let mut bench = Bench::new("no-redis").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    bench.server.kill_nine().unwrap();
    let started = Instant::now();
    let left = section.leave().await;
    assert!(started.elapsed() < LEFT_WITHIN);
    assert!(matches!(left.closed, Ok(Closed::Closed)), "{left}");
    assert!(left.released.is_err(), "{left}");
    assert!(!left.overrun && !left.is_clean());
    assert!(left.to_string().contains("not released"), "{left}");
}

#[tokio::test]
async fn leaving_without_postgres_releases_is_bounded_and_says_that_nothing_was_closed() {
    let (bench, mut postgres) = Bench::with_postgres().await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    postgres.kill_nine().unwrap();
    let started = Instant::now();
    let left = section.leave().await;
    assert!(started.elapsed() < LEFT_WITHIN);
    assert!(left.closed.is_err(), "{left}");
    assert!(
        matches!(left.released, Ok(Some(Released::Released))),
        "{left}"
    );
    assert_eq!(bench.lease(&r).await, None);

    postgres.restart().unwrap();
    let next = within(bench.sections.enter(&r, &LONG)).await.unwrap();
    assert!(next.is_takeover());
}

/// The guard would wait for ten seconds, for an own write that is still in flight.
#[tokio::test]
async fn a_close_that_must_wait_is_given_up_after_its_step_and_the_lease_is_given_back() {
    let bench = Bench::new("step").await;
    let r = resource("r");
    let step = Duration::from_millis(200);
    let options = LONG.with_leave_step(step);
    let section = bench.sections.enter(&r, &options).await.unwrap();
    let writer = bench.others().await;
    let open = section.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();

    let left = within(section.leave()).await;
    assert!(
        matches!(left.closed, Err(NotDone::TimedOut { within }) if within == step),
        "{left}"
    );
    assert_eq!(bench.lease(&r).await, None);
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn whoever_was_overtaken_learns_it_when_leaving_and_leaves_the_other_lease_alone() {
    let bench = Bench::new("overtaken").await;
    let r = resource("r");
    let late = bench.enter(&r).await;
    bench.forget_lease(&r).await;
    let successor = bench.enter(&r).await;
    let left = late.leave().await;
    assert!(matches!(&left.closed, Ok(Closed::Overtaken(_))), "{left}");
    assert!(
        matches!(left.released, Ok(Some(Released::TakenOver { by })) if by == successor.fence())
    );
    assert!(left.overrun);
    assert!(bench.lease(&r).await.is_some());
    assert!(successor.leave().await.is_clean());
}

/// Trust ends before the lease does, so Redis alone would tell too late.
#[tokio::test]
async fn a_section_is_overrun_by_its_own_clock_also_while_redis_still_has_its_lease() {
    let bench = Bench::new("own-clock").await;
    let r = resource("r");
    let section = bench.sections.enter(&r, &for_ms(2_000)).await.unwrap();
    let key = bench.lease_key(&r);
    let _: i64 = bench.redis(format!("PEXPIRE {key} 60000")).await;
    within(section.lost()).await;
    let left = section.leave().await;
    assert!(
        matches!(left.released, Ok(Some(Released::Released))),
        "{left}"
    );
    assert!(left.overrun && bench.lease_left_ms(&r).await < 0);
}

#[tokio::test]
async fn a_dropped_section_is_closed_and_released_in_the_background() {
    let bench = Bench::new("dropped").await;
    let r = resource("r");
    drop(bench.enter(&r).await);
    bench.until_free(&r).await;
    // Released last: whoever sees the lease free sees the opening closed.
    assert!(bench.is_closed(&r).await);
    let next = bench.enter(&r).await;
    assert!(!next.is_takeover());
}

#[tokio::test]
async fn leaving_that_is_dropped_before_it_closed_is_done_in_the_background() {
    let bench = Bench::new("half-way").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    // The only connection is taken, so the close cannot even be sent.
    let taken = bench.guard.pool().acquire().await.unwrap();
    let leaving = tokio::time::timeout(Duration::from_millis(50), section.leave()).await;
    assert!(leaving.is_err());
    drop(taken);
    bench.until_closed(&r).await;
    bench.until_free(&r).await;
}

/// A drop that starts a task when its runtime has ended must neither panic nor go round in circles.
#[test]
fn dropping_a_section_after_its_runtime_has_ended_does_no_harm() {
    let build = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = build.unwrap();
    let section = runtime.block_on(async {
        let bench = Bench::new("runtime").await;
        let section = bench.sections.enter(&resource("r"), &for_ms(60_000)).await;
        section.unwrap()
    });
    drop(runtime);
    drop(section);
}
