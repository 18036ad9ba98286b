//! `ledger stats`: the figure that no lock library has.

use promises::permit;
use serde_json::Value;

use crate::support::Stage;

#[tokio::test]
async fn sections_that_outlived_their_lease_are_counted_by_prefix() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    for (name, lease_left_ms) in [("user:1", 50), ("user:2", -50), ("user:3", 50)] {
        let open = stage.client.open(&permit(name, 1)).await;
        stage
            .client
            .guard
            .close(&open, lease_left_ms)
            .await
            .unwrap();
    }
    stage.come_late("job:1", &alice, 4).await;
    let rows = stage.rows(&["stats"]).await;
    let figures = |row: &Value| {
        [
            "sections",
            "overruns",
            "takeovers",
            "stale",
            "stale_attempts",
        ]
        .map(|name| row[name].as_i64().unwrap())
    };
    assert_eq!(
        (&rows[0]["prefix"], figures(&rows[0])),
        (&"user:".into(), [3, 1, 0, 0, 0])
    );
    assert_eq!(
        (&rows[1]["prefix"], figures(&rows[1])),
        (&"job:".into(), [2, 1, 1, 1, 4])
    );
    assert!(
        rows[0]["held_worst"]
            .as_f64()
            .is_some_and(|part| part < 0.5),
        "{rows:?}"
    );

    assert_eq!(stage.rows(&["stats", "--by", "2"]).await.len(), 4);
    let all = stage.rows(&["stats", "--by", "0"]).await;
    assert_eq!(figures(&all[0]), [5, 2, 1, 1, 4]);
    let table = stage.ask(&["stats"]).await.stdout;
    assert!(table.contains("refused 1 stale, 4 stale tries"), "{table}");
    let before = stage
        .ask(&["stats", "--since", "2999-01-01T00:00:00Z"])
        .await;
    assert_eq!(before.code, Some(3), "{before:?}");
}
