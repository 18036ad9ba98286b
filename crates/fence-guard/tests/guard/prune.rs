//! What an operator prunes, and what stays: refusals by their last repeat, openings by their end; never the
//! newest of a resource, never what a keeper names. The audit reaches as far back as the openings do.

use std::time::Duration;

use fence_guard::Retention;
use promises::{HOLD, MustRefuse, World, permit};
use sqlx::Executor;
use uuid::Uuid;

use crate::jobs::{fences, history};

const HOUR: Duration = Duration::from_secs(3600);

fn retention(world: &World) -> Retention {
    Retention::new(world.pool().clone())
}

/// Behind the guard's back: moves what happened before this number into the past.
async fn age(world: &World, before: i64) {
    let mut session = world.session().await;
    session.run("set session_replication_role = replica").await;
    let openings = sqlx::query(
        "update fence.opening set at = at - interval '2 h', folded_at = folded_at - interval '2 h'
         where seq < $1",
    );
    openings
        .bind(before)
        .execute(&mut session.connection)
        .await
        .unwrap();
}

#[tokio::test]
async fn refusals_go_by_their_last_repeat_and_the_others_stay() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    for operation in ["a", "b", "c"] {
        client
            .guard
            .begin(&first, operation, Uuid::nil(), HOLD)
            .await
            .must_refuse();
    }
    let aged = "update fence.refusal
        set first_at = first_at - interval '2 h', last_at = last_at - interval '2 h'
        where operation <> 'c'";
    world.pool().execute(aged).await.unwrap();
    // A zombie repeats one of the old ones.
    client
        .guard
        .begin(&first, "a", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    assert_eq!(retention(&world).prune_refusals(HOUR).await.unwrap(), 1);
    let left: Vec<(String, i64)> = world
        .refusals()
        .await
        .iter()
        .map(|row| (row.operation.clone(), row.attempts))
        .collect();
    assert_eq!(left, [("a".to_owned(), 2), ("c".to_owned(), 1)]);
    assert_eq!(
        retention(&world)
            .prune_refusals(Duration::ZERO)
            .await
            .unwrap(),
        2
    );
    // What is refused afterwards is a row again.
    client
        .guard
        .begin(&first, "a", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    assert_eq!(world.refusals().await.len(), 1);
}

/// Its lock is held by the zombie that repeats it just now, or by a transaction that is about to commit it.
#[tokio::test]
async fn a_refusal_that_is_being_repeated_is_left_to_the_next_pass() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    client
        .guard
        .begin(&first, "a", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    let mut zombie = world.session().await;
    zombie
        .run("begin; update fence.refusal set attempts = attempts + 1")
        .await;
    assert_eq!(
        retention(&world)
            .prune_refusals(Duration::ZERO)
            .await
            .unwrap(),
        0
    );
    zombie.run("commit").await;
    assert_eq!(
        retention(&world)
            .prune_refusals(Duration::ZERO)
            .await
            .unwrap(),
        1
    );
}

#[tokio::test]
async fn the_newest_opening_of_a_resource_stays_whether_it_is_closed_or_not() {
    let world = World::new().await;
    let client = world.client().await;
    history(&client, "open", 3).await;
    history(&client, "closed", 2).await;
    let last = client.open(&permit("closed", 3)).await;
    client.close(&last).await;
    assert_eq!(
        retention(&world)
            .with_batch(3)
            .prune_openings(Duration::ZERO)
            .await
            .unwrap(),
        5
    );
    for name in ["open", "closed"] {
        assert_eq!(fences(&world, name).await, [3], "{name}");
    }
    assert!(world.findings().await.is_empty());
    // The one that is open acts.
    let again = client.guard.open(&permit("open", 4), HOLD).await.unwrap();
    assert!(again.is_takeover());
    assert_eq!(
        retention(&world)
            .prune_openings(Duration::ZERO)
            .await
            .unwrap(),
        1
    );
}

/// An opening is as old as its end, however long ago it was opened.
#[tokio::test]
async fn an_opening_ages_from_when_it_was_replaced() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    age(&world, first.seq() + 1).await;
    let second = client.open(&permit("r", 2)).await;
    client.open(&permit("r", 3)).await;
    assert_eq!(retention(&world).prune_openings(HOUR).await.unwrap(), 0);
    age(&world, second.seq() + 1).await;
    assert_eq!(retention(&world).prune_openings(HOUR).await.unwrap(), 1);
    assert_eq!(fences(&world, "r").await, [2, 3]);
}

/// A refusal names the opening that overtook; where that was pruned, nothing can be said against it.
#[tokio::test]
async fn the_audit_finds_nothing_in_what_pruning_left_and_still_convicts_what_it_can_see() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    client
        .guard
        .begin(&first, "late", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    client.open(&permit("r", 3)).await;
    assert_eq!(
        retention(&world)
            .prune_openings(Duration::ZERO)
            .await
            .unwrap(),
        2
    );
    assert!(client.guard.audit().await.unwrap().is_empty());

    // A refusal after that, against a mark that was never there.
    client
        .guard
        .begin(&first, "later", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    world
        .pool()
        .execute("update fence.refusal set observed_fence = 9 where operation = 'later'")
        .await
        .unwrap();
    let findings = client.guard.audit().await.unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].rule, "S7");
}
