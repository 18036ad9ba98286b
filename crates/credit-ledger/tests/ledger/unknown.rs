//! C46: a charge whose reply was lost is unknown, whether it was applied or not, and comes to one
//! entry when it is sent again.

use credit_ledger::{Error, Ledger, StoreError};
use promises::{World, charge, permit};

/// How long a backend may take to end.
const ENDED_WITHIN_MS: i64 = 10_000;

/// Kills a connection, and waits until its backend has ended.
pub(crate) async fn terminate(world: &World, pid: i32) {
    let end = sqlx::query_scalar("select pg_terminate_backend($1, $2)");
    let end = end.bind(pid).bind(ENDED_WITHIN_MS).fetch_one(world.pool());
    let has_ended: bool = end.await.unwrap();
    assert!(
        has_ended,
        "backend {pid} did not end within {ENDED_WITHIN_MS} ms"
    );
}

/// It has been admitted, and waits for the account.
#[tokio::test]
async fn a_charge_whose_connection_is_killed_while_it_waits_is_unknown_and_was_not_applied() {
    let world = World::new().await;
    let (client, mut blocker) = (world.client().await, world.session().await);
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let mine = charge(&alice, 3);
    blocker.hold_account(&alice).await;
    let charging = client.start_charge(&open, &mine);
    world.until_blocked(client.pid, blocker.pid).await;

    terminate(&world, client.pid).await;
    let outcome = charging.done().await;
    assert!(
        matches!(outcome, Err(Error::Store(StoreError::Unknown(_)))),
        "{outcome:?}"
    );
    blocker.run("rollback").await;
    assert_eq!(world.balance(&alice).await, 10);
    assert!(!client.charge(&open, &mine).await.replayed);
    assert_eq!(world.balance(&alice).await, 7);
}

#[tokio::test]
async fn a_charge_that_was_never_sent_has_failed() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    client.guard.pool().close().await;
    let outcome = client.ledger.charge(&open, &charge(&alice, 3)).await;
    assert!(
        matches!(outcome, Err(Error::Store(StoreError::Failed(_)))),
        "{outcome:?}"
    );

    let other = Ledger::new(world.pool().clone());
    assert!(
        !other
            .charge(&open, &charge(&alice, 3))
            .await
            .unwrap()
            .replayed
    );
}

/// A statement that Postgres cancelled was answered: it is known that nothing was written.
#[tokio::test]
async fn a_charge_that_postgres_cancels_has_failed() {
    let world = World::new().await;
    let (client, mut blocker) = (world.client().await, world.session().await);
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    blocker.hold_account(&alice).await;
    let charging = client.start_charge(&open, &charge(&alice, 3));
    world.until_blocked(client.pid, blocker.pid).await;

    let cancel = sqlx::query("select pg_cancel_backend($1)").bind(client.pid);
    cancel.execute(world.pool()).await.unwrap();
    let outcome = charging.done().await;
    assert!(
        matches!(outcome, Err(Error::Store(StoreError::Failed(_)))),
        "{outcome:?}"
    );
    blocker.run("rollback").await;
    assert_eq!(world.balance(&alice).await, 10);
}
