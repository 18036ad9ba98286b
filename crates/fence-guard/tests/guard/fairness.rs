//! S10: an opening is not starved by a stream of writers. From the moment that it waits, no writer
//! passes it any more: each streamer starts at most the one transaction that it had already been let
//! into. Row locks alone are not fair: sharers go on joining each other, and the canary, where each
//! session takes an advisory lock of its own, shows how many pass then.

use std::sync::Arc;
use std::time::Duration;

use fence_guard::{Error, Guard, GuardOptions, OpenPermit};
use promises::{BLOCKED_WITHIN, Client, HOLD, Started, World, permit, start, within};
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::support::until_told;

/// How long each transaction of a stream works.
const WORK: &str = "select pg_sleep(0.04)";
/// How long an opening waits that nobody starves.
const FAIR: Duration = Duration::from_secs(10);

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
    let against = open_against(&world, 8).await;
    until_told("a stream passes it again", BLOCKED_WITHIN, || async {
        let passed = passed(&world, against.waits_since).await;
        (passed > 1).then_some(())
    })
    .await;
}

async fn opens_fairly(streams: usize) {
    let world = world().await;
    let against = open_against(&world, streams).await;
    against.opening.done().await.unwrap();
    let passed = passed(&world, against.waits_since).await;
    assert!(passed <= 1, "one stream passed it {passed} times");
}

async fn world() -> World {
    let world = World::new().await;
    let table = sqlx::raw_sql("create table step (seq bigserial, stream int not null)");
    table.execute(world.pool()).await.unwrap();
    world
}

/// An opening that was seen waiting, and the streams in its way.
struct Against {
    opening: Started<Result<OpenPermit, Error>>,
    /// Drawn when it waited: whatever was written later passed it.
    waits_since: i64,
    _running: Vec<Started<()>>,
}

/// How many transactions of one stream passed the opening so far: the greatest number of all streams.
async fn passed(world: &World, waits_since: i64) -> i64 {
    sqlx::query_scalar(include_str!("passed.sql"))
        .bind(waits_since)
        .fetch_one(world.pool())
        .await
        .unwrap()
}

/// Opens against so many streams, and returns when it has been seen waiting and every stream may go on.
async fn open_against(world: &World, streams: usize) -> Against {
    let Streams {
        running,
        pids,
        gate,
    } = start_streams(world, streams).await;
    let new = world.client().await;
    let options = GuardOptions::default().with_wait(FAIR);
    let guard = Guard::with_options(new.guard.pool().clone(), options);
    let opening = start(async move { guard.open(&permit("r", 2), HOLD).await });
    let is_over = || !opening.is_running();
    let has_waited = world.blocked_or(new.pid, &pids, is_over).await;
    assert!(has_waited, "nothing was in the way of the opening");

    let next = sqlx::query_scalar("select nextval('step_seq_seq')");
    let waits_since = next.fetch_one(world.pool()).await.unwrap();
    gate.wait().await;
    Against {
        opening,
        waits_since,
        _running: running,
    }
}

/// Streams of guarded transactions, and their backends.
struct Streams {
    running: Vec<Started<()>>,
    pids: Vec<i32>,
    /// Until the test comes to it, the first stream stands in its first transaction: whoever opens meets
    /// a writer in flight, however the others come and go.
    gate: Arc<Barrier>,
}

/// Starts streams under fence 1, and returns when the first stands and each of the others has written.
async fn start_streams(world: &World, streams: usize) -> Streams {
    let gate = Arc::new(Barrier::new(2));
    let mut held = Some(gate.clone());
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
            held.take(),
        )));
    }
    within("the first stream's first write", gate.wait()).await;
    let others = i64::try_from(streams - 1).unwrap();
    until_told("every other stream writes", BLOCKED_WITHIN, || async {
        let count = sqlx::query_scalar("select count(distinct stream) from step");
        let count: i64 = count.fetch_one(world.pool()).await.unwrap();
        (count == others).then_some(())
    })
    .await;
    Streams {
        running,
        pids,
        gate,
    }
}

/// One transaction after the other, until the guard refuses one. The first of them is held at the gate,
/// where there is one.
async fn stream(
    client: Client,
    open: Arc<OpenPermit>,
    number: i32,
    mut gate: Option<Arc<Barrier>>,
) {
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
        if let Some(gate) = gate.take() {
            // It stands; and then it may go.
            gate.wait().await;
            gate.wait().await;
        }
        sqlx::query(WORK).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }
}
