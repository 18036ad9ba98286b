//! `ledger doctor`: what it sees of both servers, and its exit status.

use serde_json::Value;
use testbed::shared;

use crate::support::{Answer, Stage, answer, ledger};

fn diagnoses(answer: &Answer) -> Vec<Value> {
    let lines = answer.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

fn about<'a>(found: &'a [Value], what: &str) -> Vec<&'a Value> {
    found
        .iter()
        .filter(|row| {
            row["about"]
                .as_str()
                .is_some_and(|about| about.starts_with(what))
        })
        .collect()
}

#[tokio::test]
async fn both_servers_and_their_clocks_are_looked_at() {
    let stage = Stage::new().await;
    let redis = shared().redis_url();
    let asked = answer(
        ledger(stage.url())
            .env("REDIS_URL", redis)
            .args(["doctor", "--format", "json"]),
    )
    .await;
    let found = diagnoses(&asked);
    for what in [
        "version",
        "role",
        "place",
        "durability",
        "crash",
        "isolation",
        "privileges",
        "bypass, superuser",
    ] {
        assert!(!about(&found, what).is_empty(), "{what} in {found:?}");
    }
    assert_eq!(about(&found, "functions").len(), 2);
    assert!(about(&found, "redis, ").len() >= 6, "{found:?}");
    let [clocks] = about(&found, "clocks")[..] else {
        panic!("one diagnosis of the clocks: {found:?}")
    };
    // One machine, one clock: what is not known is more than what is apart.
    assert_eq!(clocks["severity"], "fine", "{clocks}");
    assert!(
        clocks["meaning"].as_str().unwrap().contains("never safety"),
        "{clocks}"
    );
}

#[tokio::test]
async fn without_a_redis_it_says_so_and_goes_on_and_with_a_dead_one_it_is_an_error() {
    let stage = Stage::new().await;
    let asked = stage.ask(&["doctor", "--format", "json"]).await;
    let found = diagnoses(&asked);
    let [redis] = about(&found, "redis")[..] else {
        panic!("one diagnosis of Redis: {found:?}")
    };
    assert_eq!(
        (&redis["severity"], &redis["observed"]),
        (&"note".into(), &"none is named".into())
    );
    let dead = "redis://user:s3cret@127.0.0.1:1/";
    let mut command = ledger(stage.url());
    let asked = answer(
        command
            .env("REDIS_URL", dead)
            .args(["doctor", "--errors-only"]),
    )
    .await;
    assert_eq!(asked.code, Some(1), "{asked:?}");
    assert!(
        asked.stdout.starts_with("how") && asked.stdout.contains("error    redis\n"),
        "{asked:?}"
    );
    assert!(!format!("{asked:?}").contains("s3cret"), "{asked:?}");
}

#[tokio::test]
async fn a_way_around_the_guard_is_a_finding() {
    let stage = Stage::new().await;
    let mut session = stage.world.session().await;
    session.run("grant delete on fence.refusal to public").await;
    let asked = stage.ask(&["doctor", "--format", "json"]).await;
    assert_eq!(asked.code, Some(1), "{asked:?}");
    let found = diagnoses(&asked);
    let [hole] = about(&found, "bypass, table privilege")[..] else {
        panic!("one hole: {found:?}")
    };
    assert_eq!(hole["severity"], "warning");
    assert!(
        hole["observed"]
            .as_str()
            .unwrap()
            .contains("PUBLIC DELETE on fence.refusal"),
        "{hole}"
    );
    // The worst comes first.
    let severities: Vec<&str> = found
        .iter()
        .filter_map(|row| row["severity"].as_str())
        .collect();
    let rank = |word: &&str| {
        ["error", "warning", "note", "fine"]
            .iter()
            .position(|known| known == word)
    };
    assert!(severities.is_sorted_by_key(rank), "{severities:?}");
}
