//! Redis forgets: counters that are gone, behind, repeated or poisoned.

use fence_guard::Error;
use fenced_section::{EnterError, Reason};

use crate::support::{Bench, LONG, resource, within};

/// The reason why the guard turned a write away.
fn refused(result: Result<(), Error>) -> Reason {
    match result {
        Err(Error::Refused(refusal)) => refusal.reason(),
        other => panic!("the guard had to refuse, it answered {other:?}"),
    }
}

#[tokio::test]
async fn c22_after_flushall_between_two_sections_the_next_enters_and_the_zombie_stays_refused() {
    let bench = Bench::new("flushall").await;
    let r = resource("r");
    bench.set_counter(&r, 6).await;
    let zombie = bench.enter(&r).await;
    assert_eq!(zombie.fence().get(), 7);
    bench.write(zombie.open().unwrap(), "before").await.unwrap();
    let _: () = bench.redis("FLUSHALL").await;

    let section = bench.enter(&r).await;
    assert_eq!((section.fence().get(), section.is_takeover()), (8, true));
    let late = bench.write(zombie.open().unwrap(), "late").await;
    assert_eq!(refused(late), Reason::Stale);
    bench.write(section.open().unwrap(), "after").await.unwrap();
    assert_eq!(bench.notes().await, ["after", "before"]);
    assert_eq!(bench.sections.summary().healed, 1);
    assert!(section.leave().await.is_clean());
    bench.must_be_sound().await;
}

#[tokio::test]
async fn c22_a_restart_without_data_between_enter_and_leave_is_an_overrun_and_the_next_enters_above()
 {
    let mut bench = Bench::new("restart").await;
    let r = resource("r");
    bench.set_counter(&r, 6).await;
    let section = bench.enter(&r).await;
    bench.server.kill_nine().unwrap();
    bench.server.restart().unwrap();
    within(bench.until_reconnected()).await;
    let left = within(section.leave()).await;
    assert!(left.overrun && left.closed.is_ok(), "{left}");

    let next = within(bench.sections.enter(&r, &LONG)).await.unwrap();
    assert_eq!((next.fence().get(), next.is_takeover()), (8, false));
}

/// The lagging replica knows neither the lease nor the last number.
#[tokio::test]
async fn c23_of_two_holders_of_one_number_the_second_is_healed_above_the_first() {
    let bench = Bench::new("conflict").await;
    let r = resource("r");
    bench.set_counter(&r, 4).await;
    let first = bench.enter(&r).await;
    bench.set_counter(&r, 4).await;
    bench.forget_lease(&r).await;

    let second = bench.enter(&r).await;
    assert_eq!((first.fence().get(), second.fence().get()), (5, 6));
    let late = bench.write(first.open().unwrap(), "late").await;
    assert_eq!(refused(late), Reason::Stale);
    bench.write(second.open().unwrap(), "a").await.unwrap();
    let lease = bench.lease(&r).await.unwrap();
    assert!(lease.starts_with("6:"), "{lease}");
    assert_eq!(bench.sections.summary().healed, 1);
    bench.must_be_sound().await;
}

#[tokio::test]
async fn a_counter_that_has_fallen_behind_is_raised_above_the_mark() {
    let bench = Bench::new("behind").await;
    let r = resource("r");
    bench.set_counter(&r, 99).await;
    assert!(bench.enter(&r).await.leave().await.is_clean());
    bench.set_counter(&r, 3).await;
    let section = bench.enter(&r).await;
    assert_eq!(section.fence().get(), 101);
    assert!(section.leave().await.is_clean());
    let next = bench.enter(&r).await;
    assert_eq!(next.fence().get(), 102);
    assert_eq!(bench.sections.summary().healed, 1);
}

/// A new Redis and a new guard have lost nothing.
#[tokio::test]
async fn the_first_section_of_all_is_not_counted_as_healed() {
    let bench = Bench::new("first").await;
    let section = bench.enter(&resource("r")).await;
    assert_eq!(section.fence().get(), 1);
    assert_eq!(bench.sections.summary().healed, 0);
}

#[tokio::test]
async fn a_poisoned_counter_is_an_error_that_names_the_key_and_no_redis_failure() {
    let bench = Bench::new("counter").await;
    let r = resource("r");
    let key = bench.sections.locks().prefix().counter_key(&r);
    for poison in ["abc", "-5", "9223372036854775807"] {
        bench.set_counter(&r, poison).await;
        match bench.sections.enter(&r, &LONG).await {
            Err(error @ EnterError::Keys(_)) => {
                assert!(error.to_string().contains(&key), "{error}");
            }
            other => panic!("{poison}: {other:?}"),
        }
        assert_eq!(bench.lease(&r).await, None);
    }
    // The repair that the error names.
    let _: i64 = bench.redis(format!("DEL {key}")).await;
    assert!(bench.enter(&r).await.leave().await.is_clean());
}

#[tokio::test]
async fn a_poisoned_mark_does_not_use_up_the_numbers_and_gives_the_lease_back() {
    let bench = Bench::new("mark").await;
    let r = resource("r");
    bench.set_counter(&r, 1_u64 << 50).await;
    assert!(bench.enter(&r).await.leave().await.is_clean());
    bench.set_counter(&r, 5).await;

    let refused = bench.sections.enter(&r, &LONG).await;
    assert!(matches!(refused, Err(EnterError::Keys(_))), "{refused:?}");
    let key = bench.sections.locks().prefix().counter_key(&r);
    assert_eq!(bench.redis::<u64>(format!("GET {key}")).await, 6);
    assert_eq!(bench.lease(&r).await, None);
}

#[tokio::test]
async fn healing_is_bounded_counted_as_a_refusal_and_gives_the_lease_back() {
    let bench = Bench::new("bounded").await;
    let r = resource("r");
    assert!(bench.enter(&r).await.leave().await.is_clean());
    let wrong = include_str!("sql/always_stale.sql");
    sqlx::raw_sql(wrong).execute(&bench.pool).await.unwrap();
    let _: () = bench.redis("CONFIG RESETSTAT").await;

    match within(bench.sections.enter(&r, &LONG)).await {
        Err(EnterError::Refused(refusal)) => assert_eq!(refusal.reason(), Reason::Stale),
        other => panic!("{other:?}"),
    }
    let stats: String = bench.redis("INFO commandstats").await;
    // One to acquire, three to remint, one to release.
    assert!(stats.contains("cmdstat_evalsha:calls=5,"), "{stats}");
    let summary = bench.sections.summary();
    assert_eq!((summary.refusals, summary.healed), (1, 0));
    assert_eq!(bench.lease(&r).await, None);
}
