//! Instances that are killed, and replies that are lost.

use crate::call::{Answer, Ask};
use crate::held::Held;
use crate::stage::{
    LONG, QUERY, SHORT, Stage, answer_of, ask, ask_until_answered, asking, query, within,
};

#[tokio::test(flavor = "multi_thread")]
async fn c47_a_query_whose_instance_is_killed_is_answered_by_another_and_charged_once() {
    let stage = Stage::new("c47_killed").await;
    let killed = Held::start(&stage, &SHORT).await;
    let other = stage.instance(&[&SHORT]).await;

    killed.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&killed.instance, &query("42", "k-1"));
    within("the slow query", killed.datasets.caught()).await;
    assert_eq!(stage.standing().await.held, 1);
    killed.instance.kill_nine().await.unwrap();
    assert!(in_flight.await.unwrap().is_err(), "nobody answers");

    // The key was bound when credits were held for it, though it has no answer yet.
    let other_days = Ask {
        body: r#"{"from": 1, "to": 30}"#.to_owned(),
        ..query("42", "k-1")
    };
    assert_eq!(ask(&other, &other_days).await.status, 422);
    ask_until_answered(other.listen, &query("42", "k-1"), &[409]).await;
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c47_an_instance_killed_between_its_charge_and_its_answer_has_answered() {
    let stage = Stage::new("c47_charged").await;
    let killed = Held::start(&stage, &LONG).await;
    let other = stage.instance(&[&LONG]).await;

    killed.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&killed.instance, &query("42", "k-1"));
    killed.until_its_charge_commits().await;
    killed.commit_unheard().await;
    killed.instance.kill_nine().await.unwrap();
    assert!(in_flight.await.unwrap().is_err(), "nobody answers");

    // The lease of the dead lives for ten minutes more: the answer is found without it.
    let answer = ask(&other, &query("42", "k-1")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.headers.contains_key("idempotent-replayed"));
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_whose_reply_is_lost_is_sent_again_and_answered() {
    let stage = Stage::new("lost_reply").await;
    let held = Held::start(&stage, &LONG).await;

    held.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&held.instance, &query("42", "k-1"));
    held.until_its_charge_commits().await;
    held.commit_unheard().await;
    held.ledger.cut();
    held.ledger.pass();

    assert_eq!(answer_of(in_flight).await.status, 200);
    stage.assert_charged(1).await;
}

/// The credits were captured, the commit never came: half of a write, done again.
#[tokio::test(flavor = "multi_thread")]
async fn c42_a_charge_that_was_rolled_back_is_taken_once_when_it_is_sent_again() {
    let stage = Stage::new("c42").await;
    let held = Held::start(&stage, &LONG).await;

    held.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&held.instance, &query("42", "k-1"));
    held.until_its_charge_commits().await;
    held.ledger.cut();
    held.ledger.pass();

    let answer = answer_of(in_flight).await;
    assert_eq!(
        (answer.status, answer.json()["balance"].as_i64()),
        (200, Some(9))
    );
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_postgres_a_query_is_told_to_come_again_and_answered_when_it_is_back() {
    let stage = Stage::new("postgres_away").await;
    let held = Held::start(&stage, &LONG).await;
    held.ledger.close();
    let answer = ask(&held.instance, &query("42", "k-1")).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.retry_after().is_some());
    assert_speaks_of_this_request(&answer);
    held.ledger.reopen();
    ask_until_answered(held.instance.listen, &query("42", "k-1"), &[503]).await;
    stage.assert_charged(1).await;
}

/// Whoever has paid, and cannot be looked up just now, must not be led to a new key.
#[tokio::test(flavor = "multi_thread")]
async fn a_customer_who_has_paid_is_not_told_that_nothing_was_charged() {
    let stage = Stage::new("has_paid").await;
    let held = Held::start(&stage, &LONG).await;
    let paid = ask(&held.instance, &query("42", "paid")).await;
    assert_eq!(paid.status, 200, "{paid:?}");
    held.ledger.close();
    let answer = ask(&held.instance, &query("42", "paid")).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_speaks_of_this_request(&answer);
    held.ledger.reopen();
    let replayed = ask_until_answered(held.instance.listen, &query("42", "paid"), &[503]).await;
    assert_eq!(replayed.body, paid.body);
    stage.assert_charged(1).await;
}

fn assert_speaks_of_this_request(answer: &Answer) {
    let problem = answer.json();
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("nothing was charged by this request; the same key finds out"),
        "{detail}"
    );
}
