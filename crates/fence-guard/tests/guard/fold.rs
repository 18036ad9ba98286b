//! Folding: marks that were closed long ago go, and the floor refuses whom they would have refused.

use std::time::Duration;

use fence_guard::{Holder, Reason, Retention};
use promises::{Client, HOLD, MustRefuse, World, account, charge, permit, resource};
use sqlx::Executor;
use uuid::Uuid;

use crate::protected::count;

const HOUR: Duration = Duration::from_secs(3600);

fn retention(world: &World) -> Retention {
    Retention::new(world.pool().clone())
}

async fn floor(world: &World) -> i64 {
    count(world, "select fence from fence.floor").await
}

async fn open_and_close(client: &Client, name: &str, fence: u64) {
    let open = client.open(&permit(name, fence)).await;
    client.close(&open).await;
}

#[tokio::test]
async fn a_folded_mark_goes_into_the_floor_which_refuses_whom_it_refused() {
    let world = World::new().await;
    let client = world.client().await;
    world.account("alice", 10).await;
    let first = client.open(&permit("r", 6)).await;
    let second = client.open(&permit("r", 7)).await;
    client.charge(&second, &charge(&account("alice"), 1)).await;
    client.close(&second).await;
    open_and_close(&client, "s", 3).await;
    assert_eq!(retention(&world).fold(Duration::ZERO).await.unwrap(), 2);
    assert_eq!(floor(&world).await, 8);
    assert_eq!(
        count(&world, "select count(*) from fence.resource").await,
        0
    );
    for name in ["r", "s", "never opened"] {
        assert_eq!(world.mark(name).await, 7, "{name}");
    }
    // S1, S2: whoever was overtaken, or closed, stays refused.
    for open in [&first, &second] {
        let begun = client.guard.begin(open, "late", Uuid::nil(), HOLD).await;
        assert_eq!(begun.must_refuse().reason(), Reason::Stale);
        let charged = client
            .ledger
            .charge(open, &charge(&account("alice"), 1))
            .await;
        assert_eq!(charged.must_refuse().mark().get(), 8);
        let opened = client.guard.open(open.permit(), HOLD).await;
        assert_eq!(opened.must_refuse().reason(), Reason::Stale);
    }
    let next = client.open(&permit("r", 8)).await;
    assert!(!next.is_takeover());
    client.charge(&next, &charge(&account("alice"), 1)).await;
    let minted = client
        .guard
        .open_next(&resource("s"), Holder::random(), HOLD)
        .await
        .unwrap();
    assert_eq!(minted.permit().fence().get(), 8);
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn only_what_was_closed_long_ago_is_folded() {
    let world = World::new().await;
    let client = world.client().await;
    client.open(&permit("open", 5)).await;
    open_and_close(&client, "closed", 4).await;
    open_and_close(&client, "opened again", 1).await;
    client.open(&permit("opened again", 2)).await;
    assert_eq!(retention(&world).fold(HOUR).await.unwrap(), 0);
    assert_eq!(floor(&world).await, 1);
    assert_eq!(retention(&world).fold(Duration::ZERO).await.unwrap(), 1);
    // The floor rises to what was folded, and not to what is open.
    assert_eq!(floor(&world).await, 5);
    assert_eq!(
        (world.mark("open").await, world.mark("opened again").await),
        (5, 2)
    );
    let begun = client.open(&permit("opened again", 3)).await;
    client.begin(&begun).await.commit().await.unwrap();
    assert!(world.findings().await.is_empty());
}

/// One broken counter would lift the floor of every resource.
#[tokio::test]
async fn a_mark_more_than_two_to_the_forty_above_the_floor_is_not_folded() {
    let world = World::new().await;
    let client = world.client().await;
    let reach = 1 << 40;
    open_and_close(&client, "within", 1 + reach).await;
    open_and_close(&client, "beyond", 2 + reach).await;
    open_and_close(&client, "broken", (1 << 62) - 1).await;
    assert_eq!(retention(&world).fold(Duration::ZERO).await.unwrap(), 1);
    assert_eq!(floor(&world).await, 2 + (1 << 40));
    assert_eq!(world.mark("broken").await, (1 << 62) - 1);
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn folding_goes_over_all_marks_in_batches() {
    let world = World::new().await;
    let client = world.client().await;
    for number in 0..7 {
        let name = format!("r{number}");
        if number % 3 == 0 {
            client.open(&permit(&name, 1)).await;
        } else {
            open_and_close(&client, &name, 1).await;
        }
    }
    assert_eq!(
        retention(&world)
            .with_batch(2)
            .fold(Duration::ZERO)
            .await
            .unwrap(),
        4
    );
    assert_eq!(
        count(&world, "select count(*) from fence.resource").await,
        3
    );
    assert_eq!(
        retention(&world)
            .with_batch(2)
            .fold(Duration::ZERO)
            .await
            .unwrap(),
        0
    );
}

/// The figures of a section need it, and an audit of what was written after it.
#[tokio::test]
async fn what_a_folded_mark_said_of_its_close_goes_to_its_opening() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    client.guard.close(&open, -7).await.unwrap();
    let at_close = "select closed_seq, closed_lease_left_ms from fence.resource";
    let said: (i64, i64) = sqlx::query_as(at_close)
        .fetch_one(world.pool())
        .await
        .unwrap();
    retention(&world).fold(Duration::ZERO).await.unwrap();
    let kept = "select closed_seq, closed_lease_left_ms from fence.opening
        where folded_seq > closed_seq and closed_at < folded_at";
    let kept: (i64, i64) = sqlx::query_as(kept).fetch_one(world.pool()).await.unwrap();
    assert_eq!((kept, kept.1), (said, -7));
}

/// While its mark is there the newest opening stays; the floor needs none.
#[tokio::test]
async fn the_openings_of_a_folded_resource_age_from_the_fold_and_then_go() {
    let world = World::new().await;
    let client = world.client().await;
    open_and_close(&client, "r", 1).await;
    client.open(&permit("s", 1)).await;
    let retention = retention(&world);
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 0);
    retention.fold(Duration::ZERO).await.unwrap();
    assert_eq!(retention.prune_openings(HOUR).await.unwrap(), 0);
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 1);
    assert_eq!(
        (
            world.openings("r").await.len(),
            world.openings("s").await.len()
        ),
        (0, 1)
    );
    assert!(client.guard.audit().await.unwrap().is_empty());
    client.open(&permit("r", 2)).await;
    assert!(client.guard.audit().await.unwrap().is_empty());
}

/// A mark that was deleted behind the guard's back is no folded one, also where the floor is above it.
#[tokio::test]
async fn the_audit_tells_a_mark_that_is_gone_from_one_that_was_folded() {
    let world = World::new().await;
    let client = world.client().await;
    open_and_close(&client, "folded", 1).await;
    retention(&world).fold(Duration::ZERO).await.unwrap();
    client.open(&permit("gone", 2)).await;
    world
        .pool()
        .execute("update fence.floor set fence = 9")
        .await
        .unwrap();
    assert!(client.guard.audit().await.unwrap().is_empty());
    let mut hand = world.session().await;
    hand.run("set session_replication_role = replica; delete from fence.resource")
        .await;
    let findings = client.guard.audit().await.unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((&*findings[0].rule, &*findings[0].subject), ("S4", "gone"));
}
