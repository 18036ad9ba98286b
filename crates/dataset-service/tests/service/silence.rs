//! A Postgres that takes what it is sent, and says nothing.

use crate::held::Held;
use crate::stage::{LONG, QUERY, Stage, answer_of, ask_until_answered, asking, got, query, within};

/// As many queries as the instance takes, each in another dataset: without a bound they would be in flight for good, and
/// all later ones turned away.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_postgres_costs_an_answer_and_no_slot() {
    let stage = Stage::new("silent").await;
    let held = Held::start(&stage, &[&LONG[..], &[("AT_ONCE", "2")]].concat()).await;
    // Both have looked, and are not answered when they set the price aside.
    held.ledger.hold_requests_from("insert into dataset.query");
    let in_flight = [("42", "k-1"), ("43", "k-2")]
        .map(|(dataset, key)| asking(&held.instance, &query(dataset, key)));
    within("the hold", held.ledger.caught()).await;
    held.ledger.hold_replies();
    held.ledger.pass_requests();
    for in_flight in in_flight {
        let answer = answer_of(in_flight).await;
        assert_eq!(
            (answer.status, &answer.json()["type"]),
            (503, &"tag:dataset-service,2026:unavailable".into())
        );
        assert_eq!(answer.retry_after().map(|after| after.as_secs()), Some(1));
    }
    let credits = got(held.instance.listen, "/users/7/credits").await;
    assert_eq!(credits.status, 503, "{credits:?}");

    held.ledger.pass();
    let in_flight = async { while !idle(&held).await {} };
    within("no query in flight", in_flight).await;
    for (dataset, key) in [("42", "k-1"), ("43", "k-2")] {
        let asked = query(dataset, key);
        // What could not be closed, or given back, is in the way until it is.
        ask_until_answered(held.instance.listen, &asked, &[409, 503]).await;
    }
    let standing = stage.standing().await;
    assert_eq!(standing.balance, crate::stage::BALANCE - 2);
}

async fn idle(held: &Held) -> bool {
    let figures = got(held.instance.ops, "/metrics").await.body;
    figures
        .lines()
        .any(|line| line == "dataset_service_in_flight 0")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_postgres_does_not_answer_is_unknown_and_the_same_key_finds_it() {
    let stage = Stage::new("silent_charge").await;
    let held = Held::start(&stage, &LONG).await;
    held.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&held.instance, &query("42", "k-1"));
    held.until_its_charge_commits().await;
    held.commit_unheard().await;

    let answer = answer_of(in_flight).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &"tag:dataset-service,2026:unknown".into())
    );
    held.ledger.pass();
    let replayed = ask_until_answered(held.instance.listen, &query("42", "k-1"), &[503]).await;
    assert!(replayed.headers.contains_key("idempotent-replayed"));
    stage.assert_charged(1).await;
}

/// The servers of the datasets are silent, so not even their own bound ends the query.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_dataset_is_waited_for_no_longer_than_its_limit() {
    let stage = Stage::new("silent_dataset").await;
    let options = [&LONG[..], &[("QUERY_LIMIT_MS", "200")]].concat();
    let held = Held::start(&stage, &options).await;
    held.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&held.instance, &query("42", "k-1"));
    within("the slow query", held.datasets.caught()).await;
    held.datasets.hold_replies();
    held.datasets.pass_requests();
    let answer = answer_of(in_flight).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &"tag:dataset-service,2026:unavailable".into())
    );
    stage.assert_charged(0).await;
    held.datasets.pass();
    ask_until_answered(held.instance.listen, &query("42", "k-1"), &[503]).await;
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn told_to_stop_while_postgres_is_silent_it_answers_and_ends() {
    let stage = Stage::new("silent_end").await;
    let held = Held::start(&stage, &[&LONG[..], &[("DRAIN_MS", "1")]].concat()).await;
    held.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&held.instance, &query("42", "k-1"));
    held.until_its_charge_commits().await;
    held.commit_unheard().await;
    held.instance.terminate().unwrap();
    let answer = answer_of(in_flight).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &"tag:dataset-service,2026:unknown".into())
    );
    assert!(held.instance.ended().await.unwrap().success());
}
