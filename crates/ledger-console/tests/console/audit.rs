//! `ledger audit` and its exit status.

use crate::support::Stage;

#[tokio::test]
async fn rules_that_hold_are_fine_and_one_that_is_broken_is_a_finding() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    stage.come_late("r", &alice, 1).await;
    let fine = stage.ask(&["audit"]).await;
    assert_eq!(
        (fine.code, fine.stdout.as_str()),
        (Some(0), "every rule of guard and ledger holds\n")
    );
    assert_eq!(stage.rows(&["audit"]).await.len(), 0);

    let lower =
        "alter table fence.resource disable trigger user; update fence.resource set fence = 1";
    stage.world.session().await.run(lower).await;
    let broken = stage.ask(&["audit"]).await;
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(
        broken.stdout.contains("S4") && broken.stdout.contains("of r\n"),
        "{broken:?}"
    );
    let broken = stage.ask(&["audit", "--format", "json"]).await;
    assert_eq!(broken.code, Some(1));
    assert!(
        broken.stdout.starts_with(r#"{"rule":"S4","subject":"r","#),
        "{broken:?}"
    );
}
