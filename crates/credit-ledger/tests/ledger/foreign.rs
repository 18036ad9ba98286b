//! A newer ledger may answer what this crate does not know: that is told as it is, and never taken
//! for an entry or for a refusal.

use credit_ledger::{Error, RequestId, StoreError};
use promises::{World, charge, grant_of, permit};

#[tokio::test]
async fn a_word_that_this_version_does_not_know_is_foreign_to_charge_and_grant() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let other = sqlx::raw_sql(include_str!("sql/other_words.sql"));
    other.execute(world.pool()).await.unwrap();

    let charged = client.ledger.charge(&open, &charge(&alice, 1)).await;
    let granted = client
        .ledger
        .grant(&grant_of(RequestId::random(), &alice, 1))
        .await;
    for outcome in [charged, granted] {
        let is_foreign = matches!(&outcome, Err(Error::Store(StoreError::Foreign { what })) if what.contains("deferred"));
        assert!(is_foreign, "{outcome:?}");
    }
}
