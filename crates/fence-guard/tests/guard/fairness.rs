//! S10: an opening is not starved by a stream of writers. From the moment that it waits, no writer
//! passes it any more: each streamer starts at most the one transaction that it had already been let
//! into. Row locks alone are not fair: sharers go on joining each other, and the canary, where each
//! session takes an advisory lock of its own, shows how many pass then.

use std::sync::Arc;
use std::time::Duration;

use fence_guard::{Error, Guard, GuardOptions, OpenPermit};
use promises::{BLOCKED_WITHIN, Client, HOLD, Started, World, permit, start};
use uuid::Uuid;

use crate::support::until_told;

/// How long each transaction of a stream works.
const WORK: &str = "select pg_sleep(0.04)";
/// How long an opening waits that nobody starves.
const FAIR: Duration = Duration::from_secs(10);
/// How long an opening is let starve in the canary.
const STARVED: Duration = Duration::from_secs(1);

#[tokio::test]
async fn an_opening_is_passed_by_at_most_one_transaction_of_each_of_four_streams() {
    opens_fairly(4).await;
}

#[tokio::test]
async fn an_opening_is_passed_by_at_most_one_transaction_of_each_of_eight_streams() {
    opens_fairly(8).await;
}

#[tokio::test]
async fn canary_without_the_fair_lock_an_opening_is_passed_again_and_again() {
    let world = world().await;
    let own_lock = sqlx::raw_sql(include_str!("texts/lock_of_ones_own.sql"));
    own_lock.execute(world.pool()).await.unwrap();
    let (passed, _) = open_against(&world, 8, STARVED).await;
    assert!(passed > 1, "each stream passed it at most once");
}

async fn opens_fairly(streams: usize) {
    let (passed, opened) = open_against(&world().await, streams, FAIR).await;
    opened.unwrap();
    assert!(passed <= 1, "one stream passed it {passed} times");
}

async fn world() -> World {
    let world = World::new().await;
    let table = sqlx::raw_sql("create table step (seq bigserial, stream int not null)");
    table.execute(world.pool()).await.unwrap();
    world
}

/// Opens against so many streams. Tells how many transactions of one stream passed the opening while
/// it waited (the greatest number of all streams), and what it came to.
async fn open_against(
    world: &World,
    streams: usize,
    wait: Duration,
) -> (i64, Result<OpenPermit, Error>) {
    let (running, pids) = start_streams(world, streams).await;
    let new = world.client().await;
    let options = GuardOptions::default().with_wait(wait);
    let guard = Guard::with_options(new.guard.pool().clone(), options);
    let opening = start(async move { guard.open(&permit("r", 2), HOLD).await });
    let is_over = || !opening.is_running();
    let has_waited = world.blocked_or(new.pid, &pids, is_over).await;
    assert!(has_waited, "nothing was in the way of the opening");

    let next = sqlx::query_scalar("select nextval('step_seq_seq')");
    let waits_since: i64 = next.fetch_one(world.pool()).await.unwrap();
    let outcome = opening.done().await;
    let passed = sqlx::query_scalar(include_str!("passed.sql")).bind(waits_since);
    let passed = passed.fetch_one(world.pool()).await.unwrap();
    drop(running);
    (passed, outcome)
}

/// Starts streams of guarded transactions under fence 1, and returns when each has written.
async fn start_streams(world: &World, streams: usize) -> (Vec<Started<()>>, Vec<i32>) {
    let mut running = Vec::new();
    let mut pids = Vec::new();
    let first = world.client().await.open(&permit("r", 1)).await;
    for number in 0..streams {
        let client = world.client().await;
        pids.push(client.pid);
        running.push(start(stream(
            client,
            first.clone(),
            i32::try_from(number).unwrap(),
        )));
    }
    let all = i64::try_from(streams).unwrap();
    until_told("every stream writes", BLOCKED_WITHIN, || async {
        let count = sqlx::query_scalar("select count(distinct stream) from step");
        let count: i64 = count.fetch_one(world.pool()).await.unwrap();
        (count == all).then_some(())
    })
    .await;
    (running, pids)
}

/// One transaction after the other, until the guard refuses one.
async fn stream(client: Client, open: Arc<OpenPermit>, number: i32) {
    loop {
        let begun = client.guard.begin(&open, "stream", Uuid::nil(), HOLD).await;
        let mut tx = match begun {
            Ok(tx) => tx,
            Err(Error::Refused(_)) => return,
            Err(error) => panic!("{error}"),
        };
        sqlx::query("insert into step (stream) values ($1)")
            .bind(number)
            .execute(&mut *tx)
            .await
            .unwrap();
        sqlx::query(WORK).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }
}
