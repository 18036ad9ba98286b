//! What the jobs of an operator have in common: they are bounded and go on where they were, come first in their
//! transaction, judge their arguments; and nobody else takes away what they do.

use std::time::Duration;

use fence_guard::{Retention, StoreError};
use promises::{Client, HOLD, MustRefuse, World, permit, sqlstate};
use sqlx::AssertSqlSafe;

use crate::protected::count;

/// Opens a resource so often, and refuses each that was overtaken.
pub(crate) async fn history(client: &Client, name: &str, openings: u64) {
    for fence in 1..=openings {
        let open = client.open(&permit(name, fence)).await;
        client.begin(&open).await.commit().await.unwrap();
        if fence < openings {
            client.open(&permit(&format!("beside {name}"), fence)).await;
        }
        let late = client.guard.open(&permit(name, fence), HOLD).await;
        late.must_refuse();
    }
}

pub(crate) async fn fences(world: &World, name: &str) -> Vec<i64> {
    world
        .openings(name)
        .await
        .iter()
        .map(|row| row.fence)
        .collect()
}

#[tokio::test]
async fn a_call_looks_at_no_more_rows_than_its_batch_and_the_next_goes_on_where_it_was() {
    let world = World::new().await;
    let client = world.client().await;
    history(&client, "r", 6).await;
    let mut session = world.session().await;
    // The first openings of either resource, and so on: each call sees two of eleven.
    let mut gone = Vec::new();
    loop {
        let (rows, through): (i64, bool) =
            sqlx::query_as("select * from fence.prune_openings('0', 2)")
                .fetch_one(&mut session.connection)
                .await
                .unwrap();
        assert!(rows <= 2);
        gone.push(rows);
        if through {
            break;
        }
    }
    assert_eq!(gone, [2, 2, 2, 2, 1, 0]);
    assert_eq!(fences(&world, "r").await, [6]);
    assert_eq!(fences(&world, "beside r").await, [5]);
}

#[tokio::test]
async fn what_no_job_would_take_away_is_refused_also_to_a_hand_that_claims_to_be_one() {
    let world = World::new().await;
    let client = world.client().await;
    history(&client, "r", 2).await;
    let closed = client.open(&permit("closed", 1)).await;
    client.close(&closed).await;
    let mut hand = world.session().await;
    for (job, statement) in [
        (
            "",
            "delete from fence.opening where fence = 1 and resource = 'r'",
        ),
        (
            "prune_openings",
            "delete from fence.opening where fence = 2 and resource = 'r'",
        ),
        (
            "fold",
            "delete from fence.opening where fence = 1 and resource = 'r'",
        ),
        (
            "fold",
            "update fence.opening set fence = 9 where resource = 'r' and fence = 2",
        ),
        ("prune_openings", "update fence.opening set at = now()"),
        ("prune_openings", "truncate fence.opening"),
        ("", "delete from fence.resource where resource = 'closed'"),
        // Closed, and not below the floor; below it, and not closed.
        (
            "fold",
            "delete from fence.resource where resource = 'closed'",
        ),
        (
            "fold",
            "update fence.floor set fence = 9; delete from fence.resource where resource = 'r'",
        ),
        ("fold", "truncate fence.resource"),
    ] {
        let set = AssertSqlSafe(format!("begin; set local fence.job = '{job}'; {statement}"));
        assert_eq!(
            sqlstate(hand.attempt(set).await),
            "ZF005",
            "{job}: {statement}"
        );
        hand.run("rollback").await;
    }
}

#[tokio::test]
async fn a_job_comes_first_in_a_transaction_and_takes_sensible_arguments() {
    let world = World::new().await;
    let mut session = world.session().await;
    for job in ["fold", "prune_refusals", "prune_openings"] {
        for bad in [
            "null",
            "'-1 s'",
            "'101 years'",
            "'178000000 years'",
            "'1 h', null",
            "'1 h', 0",
            "'1 h', -1",
            "'1 h', 10001",
        ] {
            let call = AssertSqlSafe(format!("select fence.{job}({bad})"));
            assert_eq!(
                sqlstate(session.attempt(call).await),
                "ZF004",
                "{job}: {bad}"
            );
        }
        let other = AssertSqlSafe(format!("select fence.{job}('1 h', 1, 'other')"));
        assert_eq!(sqlstate(session.attempt(other).await), "ZF003", "{job}");
        for (begin, code) in [
            ("begin isolation level repeatable read", "ZF001"),
            (
                "begin; select fence.open('r', 1, gen_random_uuid(), '1 s')",
                "ZF002",
            ),
        ] {
            session.run(begin).await;
            let call = AssertSqlSafe(format!("select fence.{job}('1 h')"));
            assert_eq!(sqlstate(session.attempt(call).await), code, "{job}");
            session.run("rollback").await;
        }
    }
    let forever = Retention::new(world.pool().clone())
        .fold(Duration::MAX)
        .await;
    assert!(
        matches!(forever, Err(StoreError::Misuse { .. })),
        "{forever:?}"
    );
    assert_eq!(
        count(&world, "select count(*) from fence.resource").await,
        0
    );
}
