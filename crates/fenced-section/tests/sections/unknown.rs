//! Replies that are lost, and futures that are dropped: nothing is called failed that may have happened,
//! and nobody is kept out by a lease that nobody holds.

use fenced_section::EnterError;
use lease_lock::Attempt;
use testbed::Proxy;
use uuid::Uuid;

use crate::support::{BOUND, Bench, LONG, resource, sections, within};

#[tokio::test]
async fn c9_an_acquire_whose_reply_is_lost_is_sent_again_and_finds_its_own_lease() {
    let bench = Bench::new("replay").await;
    let r = resource("r");
    bench.set_counter(&r, 6).await;
    let wire = Proxy::to(&bench.redis_url).await;
    let sections = sections(&wire.url(&bench.redis_url), &bench.database_url).await;

    wire.swallow(1);
    let section = within(sections.enter(&r, &LONG)).await.unwrap();
    assert_eq!(wire.to_swallow(), 0);
    assert_eq!(section.fence().get(), 7);
    assert_eq!(sections.summary().unknown, 1);
    assert!(section.leave().await.is_clean());
}

#[tokio::test]
async fn c7_an_acquire_that_stays_unanswered_fails_closed_and_leaves_no_lease_behind() {
    let bench = Bench::new("orphan").await;
    let r = resource("r");
    bench.set_counter(&r, 6).await;
    let wire = Proxy::to(&bench.redis_url).await;
    let sections = sections(&wire.url(&bench.redis_url), &bench.database_url).await;

    wire.hold_replies();
    let refused = within(sections.enter(&r, &LONG)).await;
    assert!(matches!(refused, Err(EnterError::Redis(_))), "{refused:?}");
    // Its lease was granted, and is given up by a request whose reply is not needed either.
    bench.until_free(&r).await;
    let counter = sections.locks().prefix().counter_key(&r);
    assert_eq!(bench.redis::<u64>(format!("GET {counter}")).await, 7);
    assert!(bench.openings(&r).await.is_empty());
}

#[tokio::test]
async fn c8_an_entry_that_is_dropped_while_it_acquires_leaves_no_lease_behind() {
    let bench = Bench::new("dropped").await;
    let r = resource("r");
    bench.set_counter(&r, 6).await;
    let wire = Proxy::to(&bench.redis_url).await;
    let sections = sections(&wire.url(&bench.redis_url), &bench.database_url).await;

    wire.hold_replies();
    let (entering, name) = (sections.clone(), r.clone());
    let entering = tokio::spawn(async move { entering.enter(&name, &LONG).await });
    // The server has granted it; the client does not know.
    within(wire.kept_back()).await;
    assert!(bench.lease(&r).await.is_some());
    entering.abort();
    assert!(within(entering).await.unwrap_err().is_cancelled());
    bench.until_free(&r).await;
}

#[tokio::test]
async fn c8_an_entry_that_is_dropped_while_it_opens_gives_its_lease_back() {
    let bench = Bench::new("opening").await;
    let r = resource("r");
    let old = bench.enter(&r).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.forget_lease(&r).await;

    let (entering, name) = (bench.sections.clone(), r.clone());
    let entering = tokio::spawn(async move { entering.enter(&name, &LONG).await });
    bench.until_lease_seen(&r).await;
    entering.abort();
    assert!(within(entering).await.unwrap_err().is_cancelled());
    bench.until_free(&r).await;
    tx.rollback().await.unwrap();
}

#[tokio::test]
async fn c30_an_opening_whose_reply_is_lost_is_opened_again_under_the_same_fence() {
    let bench = Bench::new("reopened").await;
    let r = resource("r");
    let wire = Proxy::to(&bench.database_url).await;
    let sections = sections(&bench.redis_url, &wire.url(&bench.database_url)).await;
    // The statement is prepared, so the next reply is that of the opening itself.
    let first = sections.enter(&r, &LONG).await.unwrap();
    assert!(first.leave().await.is_clean());

    wire.swallow(1);
    let section = within(sections.enter(&r, &LONG)).await.unwrap();
    assert_eq!(wire.to_swallow(), 0);
    assert_eq!((section.fence().get(), section.is_takeover()), (2, false));
    assert_eq!(bench.openings(&r).await.len(), 2);
    assert_eq!(sections.summary().unknown, 1);
    bench.write(section.open().unwrap(), "a").await.unwrap();
}

#[tokio::test]
async fn a_remint_whose_reply_is_lost_is_asked_again_and_mints_no_second_number() {
    let bench = Bench::new("remint").await;
    let r = resource("r");
    bench.set_counter(&r, 99).await;
    assert!(bench.enter(&r).await.leave().await.is_clean());
    bench.set_counter(&r, 3).await;
    let wire = Proxy::to(&bench.redis_url).await;
    let sections = sections(&wire.url(&bench.redis_url), &bench.database_url).await;
    // The opening is held up, so that the reply that is lost is that of the remint.
    let mut held = bench.pool.begin().await.unwrap();
    sqlx::query("lock table fence.resource in access exclusive mode")
        .execute(&mut *held)
        .await
        .unwrap();
    let (entering, name) = (sections.clone(), r.clone());
    let entering = tokio::spawn(async move { entering.enter(&name, &LONG).await });
    bench.until_lease_seen(&r).await;
    // The lease is seen on another connection than the reply: a round trip on the wire comes after it.
    let _ = sections.locks().abandon(attempt_of_nobody()).await.unwrap();
    wire.swallow(1);
    held.rollback().await.unwrap();

    let section = within(entering).await.unwrap().unwrap();
    assert_eq!(wire.to_swallow(), 0);
    assert_eq!(section.fence().get(), 101);
    assert_eq!(sections.summary().unknown, 1);
}

/// An attempt that holds nothing: giving it up is one harmless round trip.
fn attempt_of_nobody() -> Attempt {
    Attempt::new(resource("nobody"), LONG.ttl)
}
