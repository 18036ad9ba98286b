//! The end of an opening: judged after the wait like everything else, and recorded with what was left
//! of the lease, for the figures.
//!
//! The race: a holder that has been overtaken closes, and its close waits behind its successor's
//! opening. Without the second judgement it closes the *successor's* opening, which then writes
//! nothing any more.

use fence_guard::{Closed, Reason};
use promises::{World, charge, permit};
use sqlx::types::time::OffsetDateTime;

#[tokio::test]
async fn a_close_that_waited_behind_an_opening_is_judged_again() {
    let world = World::new().await;
    let (zombie, mut opener) = (world.client().await, world.session().await);
    let alice = world.account("alice", 10).await;
    let first = zombie.open(&permit("r", 1)).await;
    let second = permit("r", 2);

    opener.run("begin").await;
    assert_eq!(opener.open(&second).await.unwrap().outcome, "opened");
    let closing = zombie.start_close(&first);
    world.until_blocked(zombie.pid, opener.pid).await;
    opener.run("commit").await;

    let Closed::Overtaken(refusal) = closing.done().await else {
        panic!("there was nothing of the zombie's to close");
    };
    assert_eq!((refusal.reason(), refusal.mark().get()), (Reason::Stale, 2));
    assert_eq!(refusal.opened_by(), Some(second.holder()));
    let charged = opener.charge(&second, &charge(&alice, 1)).await.unwrap();
    assert_eq!(charged.outcome, "applied");
    assert_eq!(closed_lease_left_ms(&world, "r").await, None);
    assert!(world.findings().await.is_empty());
}

/// Each with what the holder's clock said: time to spare, none, and an overrun.
#[tokio::test]
async fn a_close_records_what_was_left_of_the_lease_and_the_next_opening_keeps_it() {
    let world = World::new().await;
    let client = world.client().await;
    for (name, left_ms) in [
        ("spare", 250),
        ("none", 0),
        ("overrun", -40),
        ("least", i64::MIN),
    ] {
        let open = client.open(&permit(name, 1)).await;
        let closed = client.guard.close(&open, left_ms).await.unwrap();
        assert_eq!(closed, Closed::Closed);
        assert_eq!(closed_lease_left_ms(&world, name).await, Some(left_ms));

        client.open(&permit(name, 2)).await;
        assert_eq!(closed_lease_left_ms(&world, name).await, None);
        let previous = previous(&world, name, 2).await;
        assert_eq!(previous.previous_closed_lease_left_ms, Some(left_ms));
    }
    assert!(world.findings().await.is_empty());
}

/// The repeat of a close whose reply was lost comes later, when less is left.
#[tokio::test]
async fn a_repeated_close_leaves_what_the_first_one_recorded() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    for left_ms in [250, 90] {
        let closed = client.guard.close(&open, left_ms).await.unwrap();
        assert_eq!(closed, Closed::Closed);
    }
    assert_eq!(closed_lease_left_ms(&world, "r").await, Some(250));
}

#[tokio::test]
async fn an_opening_keeps_the_number_and_the_validity_of_the_one_before_it() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    let unclosed = previous(&world, "r", 1).await;
    assert_eq!(
        (unclosed.previous_seq, unclosed.previous_valid_until),
        (None, None)
    );

    let second = client.open(&permit("r", 4)).await;
    client.close(&second).await;
    client.open(&permit("r", 9)).await;
    for (fence, before) in [(4, &first), (9, &second)] {
        let previous = previous(&world, "r", fence).await;
        assert_eq!(previous.previous_seq, Some(before.seq()), "before {fence}");
        assert_eq!(previous.previous_valid_until, Some(before.valid_until()));
    }
}

/// What an opening says of the one before it.
#[derive(sqlx::FromRow)]
struct Previous {
    previous_seq: Option<i64>,
    previous_valid_until: Option<OffsetDateTime>,
    previous_closed_lease_left_ms: Option<i64>,
}

async fn previous(world: &World, name: &str, fence: i64) -> Previous {
    sqlx::query_as("select * from fence.opening where resource = $1 and fence = $2")
        .bind(name)
        .bind(fence)
        .fetch_one(world.pool())
        .await
        .unwrap()
}

async fn closed_lease_left_ms(world: &World, name: &str) -> Option<i64> {
    sqlx::query_scalar("select closed_lease_left_ms from fence.resource where resource = $1")
        .bind(name)
        .fetch_one(world.pool())
        .await
        .unwrap()
}
