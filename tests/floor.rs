//! The floor: what the guard says of a resource that has no row. It stands for every mark that was
//! folded away, so a fence below it may belong to a holder that was overtaken long ago.
//!
//! Here the floor is raised by hand. Without it a missing row would let fence 1 open again, and the
//! zombies of all numbers above it with it.

use fence_guard::Holder;
use promises::{
    Answer, HOLD, MustRefuse, Session, World, account, charge, permit, resource, sqlstate, start,
};

/// The fence that each resource without a row must have at least.
const FLOOR: i64 = 10;

/// A world with a raised floor, and a session in it.
async fn world() -> (World, Session) {
    let world = World::new().await;
    let mut hand = world.session().await;
    world.account("alice", 10).await;
    hand.run("update fence.floor set fence = 10").await;
    (world, hand)
}

/// What every call that needs an opening answers under this fence.
async fn answers(session: &mut Session, name: &str, fence: u64) -> [Answer; 3] {
    let shown = permit(name, fence);
    [
        session.admit(&[&shown]).await.unwrap(),
        session
            .charge(&shown, &charge(&account("alice"), 1))
            .await
            .unwrap(),
        session.close(&shown).await.unwrap(),
    ]
}

fn answer(outcome: &str, mark: i64) -> Answer {
    Answer {
        outcome: outcome.to_owned(),
        mark: Some(mark),
        mark_holder: None,
    }
}

#[tokio::test]
async fn below_the_floor_everything_is_stale_and_the_mark_says_the_floor() {
    let (world, mut session) = world().await;
    for fence in [1, 9] {
        let opened = session.open(&permit("r", fence)).await.unwrap();
        assert_eq!(opened, answer("stale", FLOOR));
        for answered in answers(&mut session, "r", fence).await {
            assert_eq!(answered, answer("stale", FLOOR), "under {fence}");
        }
    }
    let rows = world.refusals().await;
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!((row.observed_fence, row.observed_holder), (FLOOR, None));
    }
    assert!(world.openings("r").await.is_empty());
    assert!(world.charges(&account("alice")).await.is_empty());
    assert!(world.findings().await.is_empty());
}

/// Nobody has opened it, and the highest that can have been folded is one below the floor.
#[tokio::test]
async fn a_missing_row_at_or_above_the_floor_is_not_open() {
    let (world, mut session) = world().await;
    for fence in [10, 11] {
        for answered in answers(&mut session, "r", fence).await {
            assert_eq!(answered, answer("not open", FLOOR - 1), "under {fence}");
        }
    }
    for row in world.refusals().await {
        assert_eq!((row.observed_fence, row.observed_holder), (FLOOR - 1, None));
    }
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn the_first_opening_is_at_the_floor_and_the_mark_before_it_one_below() {
    let (world, _hand) = world().await;
    let client = world.client().await;
    assert_eq!(world.mark("leased").await, 9);
    let refused = client.guard.open(&permit("leased", 9), HOLD).await;
    assert_eq!(refused.must_refuse().mark().get(), 10);
    let opened = client.open(&permit("leased", 10)).await;
    let charged = charge(&account("alice"), 1);
    client.charge(&opened, &charged).await;

    let minted = client
        .guard
        .open_next(&resource("minted"), Holder::random(), HOLD)
        .await
        .unwrap();
    assert_eq!(minted.permit().fence().get(), 10);
    for name in ["leased", "minted"] {
        assert_eq!(world.mark(name).await, 10);
        let openings = world.openings(name).await;
        assert_eq!(openings.len(), 1);
        assert!(!openings[0].takeover);
        assert_eq!(openings[0].previous_fence, None);
    }
    assert!(world.findings().await.is_empty());
}

/// A mark that was not folded says itself who has been overtaken.
#[tokio::test]
async fn a_resource_with_a_row_is_judged_by_its_mark_and_not_by_the_floor() {
    let world = World::new().await;
    let (client, mut hand) = (world.client().await, world.session().await);
    let open = client.open(&permit("r", 3)).await;
    hand.run("update fence.floor set fence = 10").await;
    client.begin(&open).await.commit().await.unwrap();
    assert_eq!(world.mark("r").await, 3);
    client.close(&open).await;
    client.open(&permit("r", 4)).await;
    assert_eq!(world.mark("r").await, 4);
    assert!(world.findings().await.is_empty());
}

/// What a fold does: the row is there at the opening's first look, and gone when its lock is granted.
/// The floor that was looked at before the wait is not the one to judge by. (A `Guard` opens again by itself; a function
/// that is called in somebody's transaction cannot.)
#[tokio::test]
async fn an_opening_whose_row_vanishes_while_it_waits_is_told_to_open_again() {
    let world = World::new().await;
    let (client, mut hand) = (world.client().await, world.session().await);
    for call in ["open", "open_next"] {
        let first = client.open(&permit(call, 1)).await;
        client.close(&first).await;
        // As a replica no trigger fires: even the superuser could not delete the row otherwise.
        hand.run("begin; set local session_replication_role = replica")
            .await;
        sqlx::query("delete from fence.resource where resource = $1")
            .bind(call)
            .execute(&mut hand.connection)
            .await
            .unwrap();
        let mut caller = world.session().await;
        let pid = caller.pid;
        let opening = start(async move {
            if call == "open" {
                return caller.open(&permit(call, 2)).await.map(drop);
            }
            let next = sqlx::query("select fence.open_next($1, $2, '2 min')").bind(call);
            let next = next.bind(Holder::random().as_uuid());
            next.execute(&mut caller.connection).await.map(drop)
        });
        world.until_blocked(pid, hand.pid).await;
        hand.run("commit").await;
        assert_eq!(sqlstate(opening.done().await), "40001", "{call}");
        assert_eq!(world.openings(call).await.len(), 1, "{call}");
    }
}
