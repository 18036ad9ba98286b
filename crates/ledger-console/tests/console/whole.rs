//! One resource, one account: everything about it.

use serde_json::Value;

use crate::support::Stage;

#[tokio::test]
async fn a_resource_is_told_with_its_mark_its_openings_and_what_was_refused_and_written() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    let late = stage.come_late("r", &alice, 2).await;
    stage
        .client
        .charge(&late.rightful, &promises::charge(&alice, 1))
        .await;

    let [whole] = &stage.rows(&["resource", "r"]).await[..] else {
        panic!("it is one object")
    };
    assert_eq!(
        (&whole["mark"], &whole["state"]),
        (&"2".into(), &"open".into())
    );
    let count = |name: &str| whole[name].as_array().map(Vec::len);
    assert_eq!(
        (count("openings"), count("refusals"), count("entries")),
        (Some(2), Some(1), Some(1))
    );
    assert_eq!(whole["openings"][0]["fence"], "2");

    let table = stage.ask(&["resource", "r"]).await.stdout;
    let holder = late.rightful.permit().holder().to_string();
    for part in [
        "mark        2, takeover\n",
        "state       open\n",
        &holder,
        "taken over",
        "stale",
    ] {
        assert!(table.contains(part), "{part} in {table}");
    }
    stage.client.close(&late.rightful).await;
    assert!(
        stage
            .ask(&["resource", "r"])
            .await
            .stdout
            .contains("state       closed\n")
    );
}

#[tokio::test]
async fn a_resource_that_nobody_has_opened_is_told_so() {
    let stage = Stage::new().await;
    let answer = stage.ask(&["resource", "none"]).await;
    assert_eq!(answer.code, Some(0));
    assert!(
        answer.stdout.contains("no opening is recorded"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn an_account_is_told_with_how_it_stands_its_holds_entries_and_refused_writes() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    let late = stage.come_late("r", &alice, 1).await;
    stage
        .client
        .hold(&late.rightful, &promises::hold(&alice, 4))
        .await;

    let [whole] = &stage.rows(&["account", "alice"]).await[..] else {
        panic!("it is one object")
    };
    let number = |name: &str| whole[name].as_i64();
    assert_eq!(
        (number("balance"), number("held"), number("available")),
        (Some(10), Some(4), Some(6))
    );
    assert_eq!(whole["holds"][0]["state"], "open");
    assert_eq!(whole["refusals"][0]["amount"], 3);
    assert_eq!(whole["frozen_at"], Value::Null);
    let table = stage.ask(&["account", "alice"]).await.stdout;
    assert!(table.contains("balance     10, 4 of it held\n"), "{table}");
}
