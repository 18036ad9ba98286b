//! What comes of entering: a section, or an error that says which of the servers or holders it was.

use std::time::{Duration, Instant};

use fence_guard::Closed;
use fenced_section::{EnterError, Reason, Released, Ttl};

use crate::support::{BOUND, Bench, LONG, for_ms, resource, within};

#[tokio::test]
async fn a_section_is_entered_written_under_and_left_with_nothing_held() {
    let bench = Bench::new("entered").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    assert_eq!((section.fence().get(), section.is_takeover()), (1, false));
    assert!(bench.lease(&r).await.unwrap().starts_with("1:"));
    bench.write(section.open().unwrap(), "a").await.unwrap();
    let left = section.leave().await;
    assert!(left.is_clean(), "{left}");
    assert!(matches!(left.closed, Ok(Closed::Closed)));
    assert!(matches!(left.released, Ok(Some(Released::Released))));
    assert_eq!(left.to_string(), "closed, released: in time");
    assert_eq!(bench.lease(&r).await, None);
    assert!(bench.is_closed(&r).await);
    assert!((1..=120_000).contains(&bench.lease_left_ms(&r).await));
    assert_eq!(bench.notes().await, ["a"]);
    bench.must_be_sound().await;
}

#[tokio::test]
async fn c37_contention_says_who_holds_and_for_how_long() {
    let bench = Bench::new("held").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    let error = bench.others().await.enter(&r, &LONG).await.unwrap_err();
    assert!(error.is_contention());
    match error {
        EnterError::Held {
            resource,
            by,
            remaining,
        } => {
            assert_eq!((resource, by), (r, section.fence()));
            assert!((1..=120_000).contains(&remaining.as_millis()));
        }
        other => panic!("{other:?}"),
    }
    assert!(section.leave().await.is_clean());
}

#[tokio::test]
async fn c37_without_redis_nothing_is_entered_and_the_error_is_no_contention() {
    let mut bench = Bench::new("closed").await;
    let r = resource("r");
    bench.server.kill_nine().unwrap();
    let error = within(bench.sections.enter(&r, &LONG)).await.unwrap_err();
    assert!(matches!(error, EnterError::Redis(_)), "{error:?}");
    assert!(!error.is_contention());
    assert!(bench.openings(&r).await.is_empty());

    bench.server.restart().unwrap();
    let section = within(bench.sections.enter(&r, &LONG)).await.unwrap();
    assert!(section.leave().await.is_clean());
}

#[tokio::test]
async fn c37_without_postgres_the_lease_is_given_back_and_the_error_names_postgres() {
    let (bench, mut postgres) = Bench::with_postgres().await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    assert!(section.leave().await.is_clean());
    postgres.kill_nine().unwrap();
    let refused = within(bench.sections.enter(&r, &LONG)).await;
    assert!(
        matches!(refused, Err(EnterError::Postgres(_))),
        "{refused:?}"
    );
    assert_eq!(bench.lease(&r).await, None);

    postgres.restart().unwrap();
    let section = within(bench.sections.enter(&r, &LONG)).await.unwrap();
    assert_eq!(section.fence().get(), 3);
}

/// The writer's transaction is older than the section, and open would have to wait for it.
#[tokio::test]
async fn c37_behind_a_writer_in_flight_the_entry_is_blocked_names_it_and_gives_the_lease_back() {
    let bench = Bench::new("blocked").await;
    let r = resource("r");
    let old = bench.enter(&r).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", uuid::Uuid::nil(), BOUND);
    let mut tx = tx.await.unwrap();
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()")
        .fetch_one(&mut *tx)
        .await
        .unwrap();
    bench.forget_lease(&r).await;

    let impatient = bench.with_wait(Duration::from_millis(200));
    match within(impatient.enter(&r, &LONG)).await {
        Err(EnterError::Blocked { blockers }) => {
            let pids: Vec<_> = blockers.iter().map(|blocker| blocker.pid).collect();
            assert_eq!(pids, [Some(pid)]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.lease(&r).await, None);
    tx.commit().await.unwrap();
    let next = within(impatient.enter(&r, &LONG)).await.unwrap();
    assert!(next.is_takeover());
}

/// What was opened too late must not look like somebody's unfinished work.
#[tokio::test]
async fn an_opening_that_outlived_its_lease_is_closed_again_and_counts_as_loss() {
    let bench = Bench::new("outlived").await;
    let r = resource("r");
    let old = bench.enter(&r).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", uuid::Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.forget_lease(&r).await;

    let sections = bench.sections.clone();
    let ttl = Duration::from_secs(2);
    let (asked, name) = (Instant::now(), r.clone());
    let entering = tokio::spawn(async move { sections.enter(&name, &for_ms(2_000)).await });
    // The lease's end is the event: the writer goes on until Redis has forgotten it.
    bench.until_lease_seen(&r).await;
    bench.until_free(&r).await;
    tx.commit().await.unwrap();
    let lost = within(entering).await.unwrap();
    assert!(matches!(lost, Err(EnterError::Lost(_))), "{lost:?}");
    assert!(asked.elapsed() >= ttl);
    assert!(bench.is_closed(&r).await);
    assert_eq!(bench.mark(&r).await, 2);
    assert_eq!(bench.sections.summary().overruns, 1);
}

#[tokio::test]
async fn closed_never_heals_and_is_told_as_a_refusal() {
    let bench = Bench::new("never").await;
    let r = resource("r");
    assert!(bench.enter(&r).await.leave().await.is_clean());
    let wrong = include_str!("sql/always_closed.sql");
    sqlx::raw_sql(wrong).execute(&bench.pool).await.unwrap();
    let _: () = bench.redis("CONFIG RESETSTAT").await;

    match bench.sections.enter(&r, &LONG).await {
        Err(EnterError::Refused(refusal)) => assert_eq!(refusal.reason(), Reason::Closed),
        other => panic!("{other:?}"),
    }
    let stats: String = bench.redis("INFO commandstats").await;
    // One to acquire, none to remint, one to release.
    assert!(stats.contains("cmdstat_evalsha:calls=2,"), "{stats}");
    assert_eq!(bench.lease(&r).await, None);
}

#[tokio::test]
async fn the_longest_lease_is_more_than_the_guard_is_told() {
    let bench = Bench::new("longest").await;
    let longest = fenced_section::EnterOptions::for_ttl(Ttl::MAX);
    let section = bench.sections.enter(&resource("r"), &longest).await;
    assert!(section.unwrap().leave().await.is_clean());
    let r = resource("r");
    let minted = bench.sections.enter_from_guard(&r, &longest).await;
    assert!(minted.unwrap().leave().await.is_clean());
}
