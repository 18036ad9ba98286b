//! Openings without a lease: `fence.open_next` mints the number itself, for a service that must go on
//! while Redis is down. It is as safe as any opening, and takes nothing over that another holder still
//! means to hold; and it is not cut short by a Redis that comes back.
//!
//! The race: two of them find the resource free, and one waits for the other. Without the judgement
//! after the wait the second mints a number above the first, which has just begun to work.

use std::time::Duration;

use fence_guard::{Error, Holder, OpenPermit, Reason};
use promises::{Answer, Client, HOLD, MustRefuse, Session, World, permit, resource, start};
use sqlx::types::time::OffsetDateTime;

/// Opens `r` as this holder.
async fn next(client: &Client, holder: Holder, hold: Duration) -> Result<OpenPermit, Error> {
    client.guard.open_next(&resource("r"), holder, hold).await
}

/// The same in a transaction that the test ends.
async fn next_within(session: &mut Session, holder: Holder) -> Answer {
    sqlx::query_as("select outcome, mark, mark_holder from fence.open_next('r', $1, '2 min')")
        .bind(holder.as_uuid())
        .fetch_one(&mut session.connection)
        .await
        .unwrap()
}

/// Returns when the server's own clock has passed the validity of the newest opening.
async fn until_over(world: &World) {
    sqlx::query("select pg_sleep_until(valid_until + interval '1 us') from fence.resource")
        .execute(world.pool())
        .await
        .unwrap();
}

/// Until when the resource is held.
#[track_caller]
fn busy(outcome: Result<OpenPermit, Error>) -> OffsetDateTime {
    match outcome {
        Err(Error::Busy { until }) => until,
        other => panic!("the resource had to be busy, the opening came to {other:?}"),
    }
}

/// The openings of `r`: fence, and whether the guard minted it.
async fn openings(world: &World) -> Vec<(i64, bool)> {
    sqlx::query_as("select fence, minted from fence.opening where resource = 'r' order by seq")
        .fetch_all(world.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn it_opens_one_above_the_mark_and_its_retry_finds_the_same_opening() {
    let world = World::new().await;
    let client = world.client().await;
    let leased = client.open(&permit("r", 4)).await;
    client.close(&leased).await;

    let holder = Holder::random();
    let opened = next(&client, holder, HOLD).await.unwrap();
    let permit = opened.permit();
    assert_eq!((permit.fence().get(), permit.holder()), (5, holder));
    assert!(!opened.is_takeover());
    let again = next(&client, holder, HOLD).await.unwrap();
    assert_eq!(
        (again.permit(), again.seq(), again.valid_until()),
        (permit, opened.seq(), opened.valid_until())
    );
    client.begin(&again).await.commit().await.unwrap();
    assert_eq!(openings(&world).await, [(4, false), (5, true)]);
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn the_first_opening_of_a_resource_can_be_minted() {
    let world = World::new().await;
    let client = world.client().await;
    let opened = next(&client, Holder::random(), HOLD).await.unwrap();
    assert_eq!(opened.permit().fence().get(), 1);
    client.begin(&opened).await.commit().await.unwrap();
}

#[tokio::test]
async fn behind_the_valid_opening_of_another_holder_it_is_busy() {
    let world = World::new().await;
    let client = world.client().await;
    let leased = client.open(&permit("r", 1)).await;
    let refused = next(&client, Holder::random(), HOLD).await;
    assert_eq!(busy(refused), leased.valid_until());
    client.close(&leased).await;

    let minted = next(&client, Holder::random(), HOLD).await.unwrap();
    let refused = next(&client, Holder::random(), HOLD).await;
    assert_eq!(busy(refused), minted.valid_until());
    assert_eq!(openings(&world).await, [(1, false), (2, true)]);
    client.begin(&minted).await.commit().await.unwrap();
}

/// Redis is back, and gives leases with higher numbers.
#[tokio::test]
async fn a_leased_opening_behind_a_valid_minted_one_is_busy_until_that_is_closed() {
    let world = World::new().await;
    let client = world.client().await;
    let minted = next(&client, Holder::random(), HOLD).await.unwrap();
    let leased = permit("r", 7);
    let refused = client.guard.open(&leased, HOLD).await;
    assert_eq!(busy(refused), minted.valid_until());
    client.begin(&minted).await.commit().await.unwrap();

    client.close(&minted).await;
    assert!(!client.open(&leased).await.is_takeover());
    assert_eq!(openings(&world).await, [(1, true), (7, false)]);
}

#[tokio::test]
async fn after_its_validity_an_opening_is_taken_over_by_either_way() {
    let world = World::new().await;
    let client = world.client().await;
    let leased = client.guard.open(&permit("r", 1), Duration::ZERO).await;
    leased.unwrap();
    until_over(&world).await;
    let minted = next(&client, Holder::random(), Duration::ZERO).await;
    let minted = minted.unwrap();
    assert_eq!(minted.permit().fence().get(), 2);
    assert!(minted.is_takeover());

    until_over(&world).await;
    assert!(client.open(&permit("r", 3)).await.is_takeover());
    assert_eq!(openings(&world).await, [(1, false), (2, true), (3, false)]);
    assert!(world.findings().await.is_empty());
}

/// Two find the resource free, and one waits for the other: on a resource without a row, and on one
/// that was closed.
#[tokio::test]
async fn of_two_at_once_the_one_that_waited_is_judged_again_and_busy() {
    let world = World::new().await;
    let (mut one, two) = (world.session().await, world.client().await);
    for mark in [1, 2] {
        let (first, second) = (Holder::random(), Holder::random());
        one.run("begin").await;
        let opened = next_within(&mut one, first).await;
        assert_eq!(
            (opened.outcome.as_str(), opened.mark),
            ("opened", Some(mark))
        );
        let guard = two.guard.clone();
        let waiting = start(async move { guard.open_next(&resource("r"), second, HOLD).await });
        world.until_blocked(two.pid, one.pid).await;
        one.run("commit").await;
        busy(waiting.done().await);

        assert_eq!(world.mark("r").await, u64::try_from(mark).unwrap());
        let mine = next(&two, first, HOLD).await.unwrap();
        two.close(&mine).await;
    }
    assert_eq!(openings(&world).await, [(1, true), (2, true)]);
    assert!(world.findings().await.is_empty());
}

/// The lease's opening moves first.
#[tokio::test]
async fn one_that_waited_behind_a_leased_opening_is_judged_again_and_busy() {
    let world = World::new().await;
    let (mut leased, client) = (world.session().await, world.client().await);
    let first = client.open(&permit("r", 1)).await;
    client.close(&first).await;
    leased.run("begin").await;
    leased.open(&permit("r", 5)).await.unwrap();
    let guard = client.guard.clone();
    let waiting = start(async move {
        guard
            .open_next(&resource("r"), Holder::random(), HOLD)
            .await
    });
    world.until_blocked(client.pid, leased.pid).await;
    leased.run("commit").await;
    busy(waiting.done().await);
    assert_eq!(openings(&world).await, [(1, false), (5, false)]);
}

/// A holder is one acquisition: what it has closed stays closed.
#[tokio::test]
async fn a_holder_that_has_closed_gets_no_second_opening() {
    let world = World::new().await;
    let client = world.client().await;
    let holder = Holder::random();
    let opened = next(&client, holder, HOLD).await.unwrap();
    client.close(&opened).await;
    let refusal = next(&client, holder, HOLD).await.must_refuse();
    assert_eq!(
        (refusal.reason(), refusal.mark().get()),
        (Reason::Closed, 1)
    );
    assert_eq!(openings(&world).await, [(1, true)]);
}

/// The late repeat of a call whose holder was overtaken must not overtake its successor, whether that
/// still holds or has closed.
#[tokio::test]
async fn a_holder_that_was_overtaken_is_stale_and_gets_no_second_opening() {
    let world = World::new().await;
    let client = world.client().await;
    let (late, successor) = (Holder::random(), Holder::random());
    next(&client, late, Duration::ZERO).await.unwrap();
    until_over(&world).await;
    let second = next(&client, successor, HOLD).await.unwrap();
    assert_stale(next(&client, late, HOLD).await, successor);
    client.close(&second).await;
    assert_stale(next(&client, late, HOLD).await, successor);
    assert_eq!(openings(&world).await, [(1, true), (2, true)]);
}

fn assert_stale(outcome: Result<OpenPermit, Error>, by: Holder) {
    let refusal = outcome.must_refuse();
    assert_eq!((refusal.reason(), refusal.mark().get()), (Reason::Stale, 2));
    assert_eq!(refusal.opened_by(), Some(by));
}
