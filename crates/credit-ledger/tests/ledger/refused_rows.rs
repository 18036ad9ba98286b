//! The refused writes stay readable, whatever somebody was refused with: the text of a refusal is the
//! caller's, and no text of one caller may hide the rows of all others.

use credit_ledger::Filter;
use promises::{MustRefuse, World, charge, permit};
use sqlx::AssertSqlSafe;

#[tokio::test]
async fn a_refusal_with_a_foreign_amount_does_not_hide_the_others() {
    let world = World::new().await;
    let (client, mut session) = (world.client().await, world.session().await);
    let alice = world.account("alice", 10).await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    client
        .ledger
        .charge(&first, &charge(&alice, 3))
        .await
        .must_refuse();
    for (number, write) in [
        r#"{"account": "alice", "amount": "much", "purpose": ""}"#,
        r#"{"account": "alice", "amount": 1.5, "purpose": ""}"#,
        r#"{"account": "alice", "amount": 1.0, "purpose": ""}"#,
        r#"{"account": "alice", "amount": 1e30, "purpose": ""}"#,
        r#"{"account": "alice", "amount": 9223372036854775808, "purpose": ""}"#,
        r#"{"account": "alice", "amount": -1, "purpose": ""}"#,
        r#"{"account": "alice", "amount": [1], "purpose": ""}"#,
        r#"{"account": null, "amount": 1, "purpose": ""}"#,
        r#"{"account": "alice", "amount": 1, "purpose": {}}"#,
        r#"["account", "amount", "purpose"]"#,
        "null",
        "1",
    ]
    .iter()
    .enumerate()
    {
        let admit = format!(
            "select fence.admit(array[('r', 1, gen_random_uuid())::fence.permit], 'foreign {number}', null, '1 s', '{write}')"
        );
        session.run(AssertSqlSafe(admit)).await;
    }
    assert_eq!(world.refusals().await.len(), 13);
    let refused = client
        .ledger
        .refusals(Filter::all(), None, 0, 100)
        .await
        .unwrap();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(
        (refused[0].account.as_str(), refused[0].amount),
        ("alice", 3)
    );
}

#[tokio::test]
async fn the_greatest_amount_that_can_be_refused_is_read_back() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    client
        .ledger
        .charge(&first, &charge(&alice, i64::MAX))
        .await
        .must_refuse();
    let refused = client
        .ledger
        .refusals(Filter::all(), None, 0, 100)
        .await
        .unwrap();
    assert_eq!(refused[0].amount, i64::MAX);
}
