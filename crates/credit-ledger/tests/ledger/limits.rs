//! S10: no call waits without end, and a charge does not cut the time of the transaction that it rides in.

use std::time::Duration;

use credit_ledger::Error;
use fence_guard::StoreError;
use promises::{World, charge, permit, within};

async fn setting(tx: &mut sqlx::PgConnection, name: &str) -> String {
    let setting = sqlx::query_scalar("select current_setting($1)").bind(name);
    setting.fetch_one(tx).await.unwrap()
}

#[tokio::test]
async fn a_charge_leaves_the_limits_of_the_transaction_that_it_rides_in() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 5).await;
    let open = client.open(&permit("r", 1)).await;
    let ten_minutes = Duration::from_secs(600);
    let request = uuid::Uuid::nil();
    let mut tx = client
        .guard
        .begin(&open, "long", request, ten_minutes)
        .await
        .unwrap();
    client
        .ledger
        .charge_within(&mut tx, &open, &charge(&alice, 1))
        .await
        .unwrap();
    assert_eq!(
        setting(&mut tx, "idle_in_transaction_session_timeout").await,
        "10min"
    );
    assert_eq!(setting(&mut tx, "lock_timeout").await, "10s");
    tx.commit().await.unwrap();
}

/// The session's own limit is shorter here, so that the test need not wait for ten seconds.
#[tokio::test]
async fn a_charge_that_does_not_get_its_locks_in_time_has_written_nothing() {
    let world = World::new().await;
    let (mut holder, client) = (world.session().await, world.client().await);
    let alice = world.account("alice", 5).await;
    let open = client.open(&permit("r", 1)).await;
    sqlx::raw_sql("set lock_timeout = '100ms'")
        .execute(client.guard.pool())
        .await
        .unwrap();
    holder.hold_account(&alice).await;

    let one = charge(&alice, 1);
    let charged = within("a charge with a bound", client.ledger.charge(&open, &one)).await;
    match charged {
        Err(Error::Store(StoreError::Failed(error))) => {
            let code = error.as_database_error().and_then(|error| error.code());
            assert_eq!(code.as_deref(), Some("55P03"));
        }
        other => panic!("{other:?}"),
    }
    holder.run("rollback").await;
    assert_eq!(world.balance(&alice).await, 5);
    // The request id is not used up.
    assert!(!client.charge(&open, &one).await.replayed);
}
