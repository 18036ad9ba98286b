//! How a section that is renewed ends without being left: at its longest hold, without Redis, and under a
//! thread that stood still.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use fence_guard::MayRefuse;
use fenced_section::{Reason, Released};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::timeout;

use crate::kept::{TTL_MS, kept};
use crate::support::{BOUND, Bench, LONG, for_ms, resource, within};

#[tokio::test]
async fn a_kept_section_is_lost_at_its_longest_hold_and_its_work_is_dropped() {
    let bench = Bench::new("longest-hold").await;
    let r = resource("r");
    let max_hold = Duration::from_millis(2 * TTL_MS);
    let options = for_ms(TTL_MS).kept_for(max_hold);
    let entering = Instant::now();
    let section = bench.sections.enter(&r, &options).await.unwrap();
    let entered = Instant::now();
    let lost = within(section.run(|_| std::future::pending::<()>()));
    assert_eq!(lost.await.unwrap_err().fence, section.fence());
    // The last renewal is for less, and its margin comes off as well.
    assert!(entering.elapsed() > max_hold - options.ttl.as_duration() / 5);
    assert!(entered.elapsed() < max_hold + options.ttl.as_duration());
    assert!(section.open().is_err());

    let left = section.leave().await;
    assert!(left.overrun && bench.lease_left_ms(&r).await < 0, "{left}");
    assert_eq!(bench.sections.summary().overruns, 1);
    bench.until_free(&r).await;
}

/// Redis stands still, so it renews nothing. When the loss is raised it would still have the lease.
#[tokio::test]
async fn while_redis_stands_still_a_kept_section_is_lost_before_another_can_enter() {
    let bench = Bench::new("frozen-redis").await;
    let r = resource("r");
    // The margin of trust is 1 %, which is a long time here.
    let ttl = Duration::from_secs(5);
    let options = for_ms(5_000).kept_for(10 * BOUND);
    let section = bench.sections.enter(&r, &options).await.unwrap();
    let late = section.run(|open| async move { open }).await.unwrap();
    let other = bench.others().await;
    let redis = Pid::from_raw(bench.server.pid().unwrap().try_into().unwrap());
    kill(redis, Signal::SIGSTOP).unwrap();
    timeout(2 * ttl, section.lost()).await.unwrap();
    let ago = section.open().unwrap_err().ago;
    kill(redis, Signal::SIGCONT).unwrap();
    let lease = bench.lease(&r).await;
    // A busy machine may wake this task late. Then there is nothing to see, but nothing wrong.
    if ago < ttl / 200 {
        assert!(lease.is_some(), "Redis could have granted it to another");
    }

    let next = other.enter(&r, &LONG.with_budget(BOUND)).await.unwrap();
    assert!(next.is_takeover());
    let refused = bench.write(late, "late").await.unwrap_err();
    let refusal = refused.refusal().expect("the guard refuses it");
    assert_eq!(refusal.reason(), Reason::Stale);
    let left = section.leave().await;
    assert!(left.overrun, "{left}");
    assert!(!matches!(left.released, Ok(Some(Released::Released))));
    assert!(next.leave().await.is_clean());
}

/// The only thread is blocked past the TTL, and the keeper with it.
#[tokio::test(flavor = "current_thread")]
async fn c6_a_kept_section_on_a_blocked_thread_sees_the_loss_first_and_stays_lost() {
    let bench = Bench::new("kept-blocked").await;
    let r = resource("r");
    let section = bench.sections.enter(&r, &kept()).await.unwrap();
    // Redis would still renew it.
    let key = bench.lease_key(&r);
    let _: i64 = bench.redis(format!("PEXPIRE {key} 600000")).await;
    let further = AtomicBool::new(false);
    let work = section.run(async |_| {
        while !section.remaining().is_zero() {
            thread::sleep(section.remaining());
        }
        assert!(section.open().is_err());
        tokio::task::yield_now().await;
        further.store(true, SeqCst);
    });
    let lost = within(work).await;
    assert!(lost.is_err() && !further.load(SeqCst), "{lost:?}");
    // Nor does the keeper, which runs again now, bring it back: its holder has been told.
    tokio::time::sleep(Duration::from_millis(TTL_MS / 2)).await;
    assert!(section.open().is_err());
    assert!(section.leave().await.overrun);
}

#[tokio::test]
async fn a_kept_section_that_was_taken_over_learns_it_at_its_next_beat_and_leaves_the_other_alone()
{
    let bench = Bench::new("kept-over").await;
    let r = resource("r");
    let late = bench.sections.enter(&r, &kept()).await.unwrap();
    bench.forget_lease(&r).await;
    let successor = bench.others().await.enter(&r, &LONG).await.unwrap();
    let ttl = kept().ttl.as_duration();
    timeout(2 * ttl, late.lost()).await.unwrap();
    let left = late.leave().await;
    assert!(left.overrun, "{left}");
    assert!(
        matches!(left.released, Ok(Some(Released::TakenOver { by })) if by == successor.fence())
    );
    assert!(successor.leave().await.is_clean());
}
