//! `Idempotency-Key`: one key, one query, one charge.

use crate::call::{Answer, Ask};
use crate::stage::{LONG, Stage, ask, ask_until_answered, query, within};

fn kind(answer: &Answer) -> String {
    answer.json()["type"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn is_replayed(answer: &Answer) -> bool {
    answer.headers.contains_key("idempotent-replayed")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_sent_again_gets_the_same_answer_and_is_charged_once() {
    let stage = Stage::new("replay").await;
    let instance = stage.instance(&[&LONG]).await;
    let first = ask(&instance, &query("42", "\"k-1\"")).await;
    assert_eq!(first.status, 200, "{first:?}");
    assert!(!is_replayed(&first));
    assert_eq!(first.json()["charged"], 1);
    assert_eq!(first.json()["balance"], 9);

    // In other words of the same JSON, without the quotes, and on another instance.
    let other = stage.instance(&[&LONG]).await;
    let again = Ask {
        body: r#"{"to":31,"from":1}"#.to_owned(),
        ..query("42", "k-1")
    };
    let again = ask(&other, &again).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert!(is_replayed(&again));
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_keys_that_ask_the_same_are_two_charges() {
    let stage = Stage::new("two_keys").await;
    let instance = stage.instance(&[&LONG]).await;
    for (key, balance) in [("k-1", 9), ("k-2", 8)] {
        let answer = ask(&instance, &query("42", key)).await;
        assert_eq!(
            (answer.status, answer.json()["balance"].as_i64()),
            (200, Some(balance))
        );
    }
    stage.assert_charged(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_asks_something_else_is_unprocessable() {
    let stage = Stage::new("reused").await;
    let instance = stage.instance(&[&LONG]).await;
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);

    let other_days = Ask {
        body: r#"{"from": 1, "to": 30}"#.to_owned(),
        ..query("42", "k-1")
    };
    for reused in [other_days, query("43", "k-1")] {
        let answer = ask(&instance, &reused).await;
        assert_eq!(
            (answer.status, kind(&answer)),
            (422, "tag:dataset-service,2026:key-reused".to_owned())
        );
        assert_eq!(answer.retry_after(), None);
    }
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_without_a_usable_key_is_a_bad_request_and_costs_nothing() {
    let stage = Stage::new("no_key").await;
    let instance = stage.instance(&[&LONG]).await;
    for key in ["", "\"\"", "a b", "\"a\", \"b\""] {
        let answer = ask(&instance, &query("42", key)).await;
        assert_eq!(
            (answer.status, kind(&answer)),
            (400, "tag:dataset-service,2026:key-malformed".to_owned())
        );
    }
    let request = hyper::Request::post("/users/7/datasets/42/queries")
        .body(r#"{"from":1,"to":2}"#.to_owned());
    let answer = crate::call::send(instance.listen, request.unwrap(), crate::stage::PATIENCE)
        .await
        .unwrap();
    assert_eq!(
        (answer.status, kind(&answer)),
        (400, "tag:dataset-service,2026:key-missing".to_owned())
    );
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    stage.assert_charged(0).await;
}

/// The draft's own case: the client gives up waiting and sends the same again, here to two instances, eight times at
/// once. Two captures of one purchase, milliseconds apart, are C38 and C39.
#[tokio::test(flavor = "multi_thread")]
async fn c38_c39_one_key_sent_to_two_instances_at_once_is_captured_once() {
    let stage = Stage::new("c38_c39").await;
    let instances = [
        stage.instance(&[&LONG]).await,
        stage.instance(&[&LONG]).await,
    ];
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let server = instances[client % 2].listen;
            tokio::spawn(
                async move { ask_until_answered(server, &query("42", "k-1"), &[409]).await },
            )
        })
        .collect();
    let mut answers = Vec::new();
    for client in clients {
        answers.push(within("each client's answer", client).await.unwrap());
    }
    assert!(
        answers.iter().all(|answer| answer.body == answers[0].body),
        "{answers:?}"
    );
    assert_eq!(
        answers.iter().filter(|answer| !is_replayed(answer)).count(),
        1
    );
    stage.assert_charged(1).await;
}
