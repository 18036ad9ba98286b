//! C46: a lost reply is unknown, never failed; and what never reached Postgres is failed, never
//! unknown, so that nobody has to look for it.

use std::time::Duration;

use fence_guard::{Error, Guard, StoreError};
use promises::{BLOCKED_WITHIN, HOLD, World, permit, resource};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::until_told;

/// How long a pool looks for a server that is not there.
const LOOKS_FOR: Duration = Duration::from_millis(300);

/// How long a backend may take to end.
const ENDED_WITHIN_MS: i64 = 10_000;

/// Kills a connection, and waits until its backend has ended.
async fn terminate(world: &World, pid: i32) {
    let end = sqlx::query_scalar("select pg_terminate_backend($1, $2)");
    let end = end.bind(pid).bind(ENDED_WITHIN_MS).fetch_one(world.pool());
    let has_ended: bool = end.await.unwrap();
    assert!(
        has_ended,
        "backend {pid} did not end within {ENDED_WITHIN_MS} ms"
    );
}

#[tokio::test]
async fn an_opening_whose_connection_is_killed_while_it_waits_is_unknown_and_can_be_sent_again() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let first = old.open(&permit("r", 1)).await;
    let tx = old.begin(&first).await;
    let second = permit("r", 2);
    let opening = new.start_open(&second);
    world.until_blocked(new.pid, old.pid).await;

    terminate(&world, new.pid).await;
    let outcome = opening.done().await;
    assert!(
        matches!(outcome, Err(Error::Store(StoreError::Unknown(_)))),
        "{outcome:?}"
    );
    tx.commit().await.unwrap();
    new.open(&second).await;
}

/// The pool does not ask a connection whether it is alive: the first call finds out.
#[tokio::test]
async fn a_call_on_a_connection_that_was_killed_while_idle_is_unknown_and_the_next_is_answered() {
    let world = World::new().await;
    let client = world.client().await;
    let (mine, pool) = (permit("r", 1), client.guard.pool());
    // On its way back into the pool a connection is looked at; once there, it is not any more.
    until_told(
        "the connection rests in the pool",
        BLOCKED_WITHIN,
        || async { (pool.num_idle() == 1).then_some(()) },
    )
    .await;
    terminate(&world, client.pid).await;
    let outcome = client.guard.open(&mine, HOLD).await;
    assert!(
        matches!(outcome, Err(Error::Store(StoreError::Unknown(_)))),
        "{outcome:?}"
    );
    client.open(&mine).await;
}

#[tokio::test]
async fn a_commit_whose_connection_was_killed_is_unknown() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    let tx = client.begin(&open).await;
    terminate(&world, client.pid).await;
    let outcome = tx.commit().await;
    assert!(
        matches!(outcome, Err(StoreError::Unknown(_))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_call_that_never_reached_postgres_has_failed() {
    let world = World::new().await;
    let open = world.client().await.open(&permit("r", 1)).await;
    let there = world.pool().connect_options();
    let nothing_listens = PgConnectOptions::clone(&there).port(1);
    let no_database = PgConnectOptions::clone(&there).database("no such database");
    for options in [nothing_listens, no_database] {
        let pool = PgPoolOptions::new()
            .acquire_timeout(LOOKS_FOR)
            .connect_lazy_with(options);
        let guard = Guard::new(pool);
        let opened = guard.open(&permit("r", 2), HOLD).await;
        assert!(
            matches!(opened, Err(Error::Store(StoreError::Failed(_)))),
            "{opened:?}"
        );
        let begun = guard.begin(&open, "query", uuid::Uuid::nil(), HOLD).await;
        assert!(
            matches!(begun, Err(Error::Store(StoreError::Failed(_)))),
            "{begun:?}"
        );
        let mark = guard.mark(&resource("r")).await;
        assert!(matches!(mark, Err(StoreError::Failed(_))), "{mark:?}");
    }
    assert_eq!(world.mark("r").await, 1);
}

#[tokio::test]
async fn a_closed_pool_and_a_wrong_url_have_failed() {
    let world = World::new().await;
    let client = world.client().await;
    client.guard.pool().close().await;
    let opened = client.guard.open(&permit("r", 1), HOLD).await;
    assert!(
        matches!(opened, Err(Error::Store(StoreError::Failed(_)))),
        "{opened:?}"
    );
    let connected = Guard::connect("no URL").await;
    assert!(
        matches!(connected, Err(StoreError::Failed(_))),
        "{connected:?}"
    );
}
