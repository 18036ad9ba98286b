//! The ledger's audit after an operator has pruned and folded: nothing is said against entries whose openings are
//! gone, and what can still be seen is still convicted.

use std::time::Duration;

use fence_guard::Retention;
use promises::{World, charge, permit};

/// Two openings of r with an entry each; the first was overtaken, the second is closed.
async fn world() -> World {
    let world = World::new().await;
    let (client, alice) = (world.client().await, world.account("alice", 10).await);
    let first = client.open(&permit("r", 1)).await;
    client.charge(&first, &charge(&alice, 1)).await;
    let second = client.open(&permit("r", 2)).await;
    client.charge(&second, &charge(&alice, 1)).await;
    client.close(&second).await;
    world
}

/// Behind the guard's back: the entry under fence 2 is one that came after everything else.
async fn findings_with_a_late_entry(world: &World) -> Vec<String> {
    let mut hand = world.session().await;
    hand.run("begin; set local session_replication_role = replica")
        .await;
    hand.run("update credit.entry set seq = nextval('fence.seq') where fence = 2")
        .await;
    sqlx::query_scalar("select rule || ' ' || subject from credit.audit()")
        .fetch_all(&mut hand.connection)
        .await
        .unwrap()
}

#[tokio::test]
async fn entries_whose_openings_were_pruned_and_folded_are_not_held_against_them() {
    let world = world().await;
    let retention = Retention::new(world.pool().clone());
    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 1);
    assert!(world.findings().await.is_empty());
    assert_eq!(findings_with_a_late_entry(&world).await, ["S3 r"]);

    assert_eq!(retention.fold(Duration::ZERO).await.unwrap(), 1);
    assert!(world.findings().await.is_empty());
    assert_eq!(findings_with_a_late_entry(&world).await, ["S3 r"]);

    assert_eq!(retention.prune_openings(Duration::ZERO).await.unwrap(), 1);
    assert!(world.findings().await.is_empty());
    assert_eq!(findings_with_a_late_entry(&world).await, ["S3 r"]);
}
