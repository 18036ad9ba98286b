//! Redis is down: the guard mints the fence.

use std::time::Duration;

use fence_guard::{Error, Holder};
use fenced_section::{EnterError, Reason};

use crate::support::{BOUND, Bench, LONG, for_ms, resource, sections, within};
use testbed::Proxy;

#[tokio::test]
async fn without_redis_a_section_of_the_guard_is_entered_written_under_and_left() {
    let mut bench = Bench::new("minted").await;
    let r = resource("r");
    assert!(bench.enter(&r).await.leave().await.is_clean());
    bench.server.kill_nine().unwrap();

    let entered = bench.sections.enter_from_guard(&r, &LONG).await;
    let section = entered.unwrap();
    assert_eq!((section.fence().get(), section.is_takeover()), (2, false));
    let written = section.run(async |open| bench.write(open, "a").await);
    written.await.unwrap().unwrap();
    let left = section.leave().await;
    assert!(left.is_clean(), "{left}");
    assert!(matches!(left.released, Ok(None)));
    assert_eq!(bench.notes().await, ["a"]);
    bench.must_be_sound().await;
}

#[tokio::test]
async fn while_another_opening_is_unclosed_and_valid_the_guard_is_busy_and_says_until_when() {
    let bench = Bench::new("busy").await;
    let r = resource("r");
    let holder = bench.enter(&r).await;
    match bench.sections.enter_from_guard(&r, &LONG).await {
        Err(EnterError::Busy { until }) => assert_eq!(until, holder.open().unwrap().valid_until()),
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.openings(&r).await.len(), 1);
    bench.write(holder.open().unwrap(), "a").await.unwrap();

    assert!(holder.leave().await.is_clean());
    let minted = bench.sections.enter_from_guard(&r, &LONG).await.unwrap();
    let other = bench.others().await.enter_from_guard(&r, &LONG).await;
    assert!(matches!(other, Err(EnterError::Busy { .. })), "{other:?}");
    assert!(minted.leave().await.is_clean());
}

#[tokio::test]
async fn an_opening_whose_validity_is_over_is_taken_over_and_its_late_writer_refused() {
    let bench = Bench::new("expired").await;
    let r = resource("r");
    let late = bench.sections.enter(&r, &for_ms(2_000)).await.unwrap();
    bench.write(late.open().unwrap(), "before").await.unwrap();
    let until = late.open().unwrap().valid_until();
    bench.until_database_clock(until).await;
    let minted = bench.sections.enter_from_guard(&r, &LONG).await.unwrap();
    assert_eq!((minted.fence().get(), minted.is_takeover()), (2, true));
}

#[tokio::test]
async fn a_redis_that_comes_back_does_not_cut_a_minted_opening_short() {
    let mut bench = Bench::new("returns").await;
    let r = resource("r");
    bench.server.kill_nine().unwrap();
    let minted = bench.sections.enter_from_guard(&r, &LONG).await.unwrap();
    bench.server.restart().unwrap();

    let refused = within(bench.sections.enter(&r, &LONG)).await;
    match refused {
        Err(EnterError::Busy { until }) => assert_eq!(until, minted.open().unwrap().valid_until()),
        other => panic!("{other:?}"),
    }
    // Its lease was given back: nobody is kept out once the opening is closed.
    assert_eq!(bench.lease(&r).await, None);
    bench.write(minted.open().unwrap(), "a").await.unwrap();
    assert!(minted.leave().await.is_clean());
    let next = within(bench.sections.enter(&r, &LONG)).await.unwrap();
    assert!(next.fence().get() > 1 && !next.is_takeover());
    bench.must_be_sound().await;
}

#[tokio::test]
async fn an_entry_from_the_guard_whose_reply_is_lost_finds_its_own_opening() {
    let bench = Bench::new("own-retry").await;
    let r = resource("r");
    let wire = Proxy::to(&bench.database_url).await;
    let sections = sections(&bench.redis_url, &wire.url(&bench.database_url)).await;
    // The statement is prepared, so the next reply is that of the opening itself.
    let first = sections.enter_from_guard(&r, &LONG).await.unwrap();
    assert!(first.leave().await.is_clean());

    wire.swallow(1);
    let entered = within(sections.enter_from_guard(&r, &LONG)).await;
    assert_eq!(wire.to_swallow(), 0);
    assert_eq!(entered.unwrap().fence().get(), 2);
    assert_eq!(bench.openings(&r).await.len(), 2);
    assert_eq!(sections.summary().unknown, 1);
}

#[tokio::test]
async fn one_holder_makes_one_opening_and_closed_never_heals() {
    let bench = Bench::new("one-holder").await;
    let (r, holder) = (resource("r"), Holder::random());
    let first = bench.guard.open_next(&r, holder, BOUND).await.unwrap();
    let again = bench.guard.open_next(&r, holder, BOUND).await.unwrap();
    assert_eq!(first.permit(), again.permit());
    assert_eq!(
        (first.seq(), first.valid_until()),
        (again.seq(), again.valid_until())
    );
    bench.guard.close(&first, 1).await.unwrap();
    match bench.guard.open_next(&r, holder, BOUND).await {
        Err(Error::Refused(refusal)) => {
            assert_eq!(refusal.reason(), Reason::Closed);
            assert_eq!(refusal.presented(), first.permit());
        }
        other => panic!("{other:?}"),
    }
}

/// Two judge the same mark; the one that waited for the row must not mint the same number.
#[tokio::test]
async fn of_two_that_mint_at_once_one_is_busy_and_no_number_is_minted_twice() {
    let bench = Bench::new("at-once").await;
    let r = resource("r");
    assert!(bench.enter(&r).await.leave().await.is_clean());
    let mut held = bench.pool.begin().await.unwrap();
    sqlx::query("select from fence.resource for update")
        .execute(&mut *held)
        .await
        .unwrap();
    let mut entering = tokio::task::JoinSet::new();
    for _ in 0..2 {
        let (sections, r) = (bench.others().await, r.clone());
        entering.spawn(async move { sections.enter_from_guard(&r, &LONG).await });
    }
    bench.until_waiting(2).await;
    held.rollback().await.unwrap();
    let both = within(entering.join_all()).await;
    let entered = both.iter().filter(|answer| answer.is_ok()).count();
    let busy = |answer: &&Result<_, _>| matches!(answer, Err(EnterError::Busy { .. }));
    assert_eq!((entered, both.iter().filter(busy).count()), (1, 1));
    assert_eq!(bench.mark(&r).await, 2);
    bench.must_be_sound().await;
}

/// The drain: a minted opening, too, waits out older writes.
#[tokio::test]
async fn a_minted_opening_waits_for_older_writes_in_flight_and_is_blocked_by_name() {
    let bench = Bench::new("drain").await;
    let r = resource("r");
    let old = bench.sections.enter(&r, &for_ms(2_000)).await.unwrap();
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", uuid::Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.until_database_clock(open.valid_until()).await;
    let impatient = bench.with_wait(Duration::from_millis(200));
    let blocked = within(impatient.enter_from_guard(&r, &LONG)).await;
    assert!(
        matches!(&blocked, Err(EnterError::Blocked { blockers }) if blockers.len() == 1),
        "{blocked:?}"
    );
    tx.commit().await.unwrap();
    assert!(impatient.enter_from_guard(&r, &LONG).await.is_ok());
}
