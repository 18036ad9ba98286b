//! Work ends with its lease.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use fence_guard::MayRefuse;
use fenced_section::Released;
use tokio::sync::oneshot;

use crate::support::{Bench, LONG, for_ms, resource, within};

/// Tells when it is dropped.
struct Dropped(Option<oneshot::Sender<()>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(tell) = self.0.take() {
            let _ = tell.send(());
        }
    }
}

#[tokio::test]
async fn work_under_a_lost_lease_is_dropped_and_leaving_says_overrun() {
    let bench = Bench::new("lost").await;
    let r = resource("r");
    let section = bench.sections.enter(&r, &for_ms(2_000)).await.unwrap();
    let (tell, told) = oneshot::channel();
    let dropped = Dropped(Some(tell));
    let lost = within(section.run(async |_| {
        let _dropped = dropped;
        std::future::pending::<()>().await;
    }));
    let lost = lost.await.unwrap_err();
    assert_eq!((lost.resource, lost.fence), (r.clone(), section.fence()));
    within(told).await.unwrap();
    assert!(section.open().is_err());

    let left = section.leave().await;
    assert!(left.overrun, "{left}");
    assert!(left.to_string().ends_with("overrun"), "{left}");
    assert!(bench.lease_left_ms(&r).await < 0);
    assert_eq!(bench.sections.summary().overruns, 1);
}

#[tokio::test]
async fn work_that_is_done_in_time_gives_its_value_and_may_write() {
    let bench = Bench::new("done").await;
    let section = bench.enter(&resource("r")).await;
    let written = section.run(async |open| bench.write(open, "a").await);
    written.await.unwrap().unwrap();
    // A closure that returns a future does as well.
    assert_eq!(section.run(|_| async { 7 }).await.unwrap(), 7);
    assert!(section.leave().await.is_clean());
    assert_eq!(bench.notes().await, ["a"]);
}

#[tokio::test]
async fn work_is_never_started_under_a_lease_that_is_lost_already() {
    let bench = Bench::new("late").await;
    let section = bench
        .sections
        .enter(&resource("r"), &for_ms(2_000))
        .await
        .unwrap();
    within(section.lost()).await;
    let started = AtomicBool::new(false);
    // A closure is more than its future: it may work before it returns one.
    let refused = section.run(|_| {
        started.store(true, SeqCst);
        async {}
    });
    assert!(refused.await.is_err() && !started.load(SeqCst));
}

/// The thread is blocked past the TTL; nobody could tell it meanwhile.
#[tokio::test]
async fn c6_a_blocked_thread_sees_the_loss_before_its_permit_and_takes_no_further_step() {
    let bench = Bench::new("blocked").await;
    let r = resource("r");
    let section = Arc::new(bench.sections.enter(&r, &for_ms(2_000)).await.unwrap());
    let seen = section.clone();
    let further = AtomicBool::new(false);
    let lost = section.run(async |_| {
        while seen.open().is_ok() {
            thread::sleep(seen.remaining());
        }
        tokio::task::yield_now().await;
        further.store(true, SeqCst);
    });
    let lost = within(lost).await;
    assert!(lost.is_err() && !further.load(SeqCst), "{lost:?}");
    drop(seen);
    let left = Arc::try_unwrap(section).unwrap().leave().await;
    assert!(left.overrun);
}

/// Somebody else blocks the thread past the TTL; then what the work waits for happens.
#[tokio::test]
async fn c6_work_that_wakes_after_a_pause_takes_no_further_step() {
    let bench = Bench::new("pause").await;
    let r = resource("r");
    let section = bench.sections.enter(&r, &for_ms(2_000)).await.unwrap();
    let further = AtomicBool::new(false);
    let (go, gone) = oneshot::channel();
    let work = section.run(async |_| {
        gone.await.unwrap();
        further.store(true, SeqCst);
    });
    let pause = async {
        while section.open().is_ok() {
            thread::sleep(section.remaining());
        }
        // Nobody listens any more where the work has been dropped.
        let _ = go.send(());
    };
    let (lost, ()) = within(async { tokio::join!(biased; work, pause) }).await;
    assert!(lost.is_err() && !further.load(SeqCst), "{lost:?}");
}

#[tokio::test]
async fn a_section_can_be_entered_run_and_left_from_a_spawned_task() {
    let bench = Bench::new("spawned").await;
    let (sections, guard) = (bench.sections.clone(), bench.guard.clone());
    let task = tokio::spawn(async move {
        let section = sections.enter(&resource("r"), &for_ms(60_000)).await?;
        let mark = section.run(|open| {
            let resource = open.permit().resource();
            async move { guard.mark(resource).await }
        });
        let mark = mark.await.unwrap().unwrap();
        assert_eq!(mark, section.fence().as_floor());
        Ok::<_, fenced_section::EnterError>(section.leave().await)
    });
    let left = within(task).await.unwrap().unwrap();
    assert!(matches!(left.released, Ok(Some(Released::Released))));
}

/// Redis says "it is yours", and the write comes after another has taken over: between a check in one server
/// and a write in another there is always room for a pause. What refuses the write stands where it is written.
#[tokio::test]
async fn c28_a_check_in_redis_that_has_passed_lets_no_late_write_in() {
    let bench = Bench::new("checked").await;
    let r = resource("r");
    let late = bench.enter(&r).await;
    let open = late.open().unwrap();
    let value = format!("{}:{}", late.fence(), open.permit().holder());
    assert_eq!(bench.lease(&r).await, Some(value));

    // The pause: the lease ends in Redis, and another enters.
    bench.forget_lease(&r).await;
    let next = bench.others().await.enter(&r, &LONG).await.unwrap();
    let refused = bench.write(open, "late").await.unwrap_err();
    let refusal = refused.refusal().expect("the guard refuses it");
    assert_eq!(refusal.reason(), fence_guard::Reason::Stale);
    assert_eq!(refusal.mark().get(), next.fence().get());
    assert!(bench.notes().await.is_empty());
    assert!(next.leave().await.is_clean());
}
