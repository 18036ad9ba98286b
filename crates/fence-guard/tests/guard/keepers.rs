//! The extension point of pruning: a schema of its own, such as a ledger with holds, names the openings that must
//! stay. Here it is a made-up one, whose holds are void once their opening was taken over.

use std::time::Duration;

use fence_guard::{Reason, Retention, StoreError};
use promises::{HOLD, MustRefuse, World, permit, resource, sqlstate};
use sqlx::Executor;

use crate::jobs::fences;
use crate::protected::count;

/// Openings 1 to 4 of r, each taking over the one before it, and a hold under the second.
async fn world() -> (World, Retention) {
    let world = World::new().await;
    world
        .pool()
        .execute(include_str!("sql/holds.sql"))
        .await
        .unwrap();
    let client = world.client().await;
    for fence in 1..=4 {
        client.open(&permit("r", fence)).await;
    }
    world
        .pool()
        .execute("insert into holds.hold values ('r', 2)")
        .await
        .unwrap();
    let retention = Retention::new(world.pool().clone());
    (world, retention)
}

#[tokio::test]
async fn what_a_keeper_names_stays_and_so_does_the_opening_that_took_it_over() {
    let (world, retention) = world().await;
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 1);
    assert_eq!(fences(&world, "r").await, [2, 3, 4]);
    // Else the hold would come to life again.
    assert_eq!(count(&world, "select count(*) from holds.void").await, 1);
    assert!(world.findings().await.is_empty());

    world
        .pool()
        .execute("delete from holds.hold")
        .await
        .unwrap();
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 2);
    assert_eq!(fences(&world, "r").await, [4]);
}

/// The one that took over may itself be long closed, and its mark folded.
#[tokio::test]
async fn a_hold_stays_void_also_when_the_mark_of_its_resource_was_folded() {
    let (world, retention) = world().await;
    let client = world.client().await;
    let last = client.open(&permit("r", 5)).await;
    client.close(&last).await;
    assert_eq!(retention.fold(Duration::ZERO).await.unwrap(), 1);
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 2);
    assert_eq!(fences(&world, "r").await, [2, 3, 5]);
    assert!(world.findings().await.is_empty());
    assert_eq!(count(&world, "select count(*) from holds.void").await, 1);
    client.open(&permit("r", 6)).await;
    assert_eq!(count(&world, "select count(*) from holds.void").await, 1);
    assert!(world.findings().await.is_empty());
}

/// The newest opening tells that its resource was folded, so it stays for as long as an older one is kept. Without it
/// the one that took over would never end.
#[tokio::test]
async fn what_tells_of_a_fold_goes_with_the_last_opening_that_is_kept_and_no_later() {
    let (world, retention) = world().await;
    let client = world.client().await;
    let last = client.open(&permit("r", 5)).await;
    client.close(&last).await;
    retention.fold(Duration::ZERO).await.unwrap();
    for gone in [2, 0] {
        let pruned = retention.prune_openings(Duration::ZERO).await.unwrap();
        assert_eq!(pruned, gone);
        assert_eq!(fences(&world, "r").await, [2, 3, 5]);
    }
    world
        .pool()
        .execute("delete from holds.hold")
        .await
        .unwrap();
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 3);
    assert_eq!(fences(&world, "r").await, [0; 0]);
    assert!(world.findings().await.is_empty());
}

/// It is known that it was overtaken: its opening was kept.
#[tokio::test]
async fn a_holder_whose_opening_is_kept_gets_no_second_one_after_a_fold() {
    let (world, retention) = world().await;
    let client = world.client().await;
    let [kept, newest] = [permit("kept", 1), permit("kept", 3)];
    client.open(&kept).await;
    client.open(&permit("kept", 2)).await;
    let last = client.open(&newest).await;
    client.close(&last).await;
    world
        .pool()
        .execute("insert into holds.hold values ('kept', 1)")
        .await
        .unwrap();
    retention.fold(Duration::ZERO).await.unwrap();
    retention.prune_openings(Duration::ZERO).await.unwrap();
    assert!(world.findings().await.is_empty());
    let again = client
        .guard
        .open_next(&resource("kept"), kept.holder(), HOLD)
        .await
        .must_refuse();
    let told = (again.reason(), again.mark().get(), again.opened_by());
    assert_eq!(told, (Reason::Stale, 3, Some(newest.holder())));
}

#[tokio::test]
async fn an_opening_of_which_a_keeper_knows_nothing_stays() {
    let (world, retention) = world().await;
    let knows_nothing =
        "create or replace function holds.refers_to(p_resource text, p_fence bigint)
        returns boolean language sql as 'select null::boolean'";
    world.pool().execute(knows_nothing).await.unwrap();
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 0);
    assert_eq!(fences(&world, "r").await, [1, 2, 3, 4]);
}

/// Pruning without one that was asked for would take what it keeps.
#[tokio::test]
async fn nothing_is_pruned_while_a_keeper_is_gone_or_is_none() {
    let (world, retention) = world().await;
    for (way, code) in [
        ("drop function holds.refers_to", "42883"),
        (
            "create function holds.refers_to(p_resource text, p_fence bigint)
                returns text language sql as 'select null::text'",
            "42883",
        ),
        (
            "drop function holds.refers_to;
             create function holds.refers_to(p_resource text, p_fence bigint)
                returns boolean language sql as 'select false';
             alter function holds.refers_to owner to pg_monitor",
            "42501",
        ),
    ] {
        world.pool().execute(way).await.unwrap();
        match retention.prune_openings(Duration::ZERO).await {
            Err(StoreError::Failed(error)) => {
                assert_eq!(sqlstate(Err::<(), _>(error)), code, "{way}")
            }
            other => panic!("{way}: {other:?}"),
        }
        assert_eq!(fences(&world, "r").await, [1, 2, 3, 4]);
    }
    // Nor one of somebody else that runs with rights of its own: its owner could change that between the look
    // at it and the call, and would be called with the guard's rights.
    world
        .pool()
        .execute("alter function holds.refers_to security definer")
        .await
        .unwrap();
    match retention.prune_openings(Duration::ZERO).await {
        Err(StoreError::Failed(error)) => assert_eq!(sqlstate(Err::<(), _>(error)), "42501"),
        other => panic!("{other:?}"),
    }
    assert_eq!(fences(&world, "r").await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn only_a_function_that_can_be_asked_becomes_a_keeper_and_it_does_so_once() {
    let (world, _) = world().await;
    for name in [
        "holds.nothing",
        "refers_to",
        "holds.refers_to(text, bigint)",
        "'; drop table fence.opening; --",
    ] {
        let keep = sqlx::query("select fence.keep_openings_by($1)").bind(name);
        let outcome = keep.execute(world.pool()).await;
        assert_eq!(sqlstate(outcome), "42883", "{name}");
    }
    world
        .pool()
        .execute("select fence.keep_openings_by('holds.refers_to')")
        .await
        .unwrap();
    let mine = "select count(*) from fence.keeper where function_name = 'holds.refers_to'";
    assert_eq!(count(&world, mine).await, 1);
}
