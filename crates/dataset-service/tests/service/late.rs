//! An instance that comes too late: overtaken while its charge was on the way, or while it stood still.

use testbed::Proxy;

use crate::held::{Held, Late};
use crate::stage::{
    QUERY, SHORT, Stage, answer_of, ask, ask_until_answered, asking, query, within,
};

fn stale(operations: &[&str]) -> Vec<(String, String)> {
    operations
        .iter()
        .map(|&operation| (operation.to_owned(), "stale".to_owned()))
        .collect()
}

/// A's charge is held on its way to Postgres until its lease is over and B, to whom the customer has sent the same key,
/// has answered: the sweep that pays again what was about to be paid.
#[tokio::test(flavor = "multi_thread")]
async fn c36_a_charge_that_comes_after_a_takeover_is_refused_as_a_row_and_the_first_answer_stands()
{
    let stage = Stage::new("c36_late_charge").await;
    let late = Late::start(&stage).await;
    let other = stage.instance(&[&SHORT]).await;

    let in_flight = late.charging(&query("42", "k-1")).await;
    let answer = ask_until_answered(other.listen, &query("42", "k-1"), &[409]).await;
    assert!(!answer.headers.contains_key("idempotent-replayed"));
    late.ledger.pass();

    // Its own charge is refused; it finds the answer that the other one has given.
    let replayed = answer_of(in_flight).await;
    assert_eq!((replayed.status, &replayed.body), (200, &answer.body));
    assert!(replayed.headers.contains_key("idempotent-replayed"));
    assert_eq!(stage.refusals().await, stale(&["capture"]));
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_was_overtaken_by_another_costs_nothing_until_it_is_sent_again() {
    let stage = Stage::new("overtaken").await;
    let late = Late::start(&stage).await;
    let other = stage.instance(&[&SHORT]).await;

    let in_flight = late.charging(&query("42", "k-1")).await;
    ask_until_answered(other.listen, &query("42", "k-2"), &[409]).await;
    late.ledger.pass();

    let overtaken = answer_of(in_flight).await;
    assert_eq!(overtaken.status, 409, "{overtaken:?}");
    assert_eq!(
        overtaken.json()["type"],
        "tag:dataset-service,2026:overtaken"
    );
    assert!(overtaken.retry_after().is_some());
    stage.assert_charged(1).await;

    assert_eq!(ask(&late.instance, &query("42", "k-1")).await.status, 200);
    stage.assert_charged(2).await;
    assert_eq!(stage.refusals().await, stale(&["capture"]));
}

/// Two captures of one purchase (C39): A has sent its COMMIT, which hangs past its lease, and B captures for the same key.
/// Postgres ends a guarded transaction that stands still, so A's is gone when B opens; then A's second try is let go.
#[tokio::test(flavor = "multi_thread")]
async fn c39_a_commit_that_hangs_past_its_lease_and_the_capture_of_the_successor_are_one() {
    let stage = Stage::new("c39_commit").await;
    let late = Held::start(&stage, &SHORT).await;
    let other = stage.instance(&[&SHORT]).await;

    late.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&late.instance, &query("42", "k-1"));
    late.until_its_charge_commits().await;
    let answer = ask_until_answered(other.listen, &query("42", "k-1"), &[409]).await;
    assert!(!answer.headers.contains_key("idempotent-replayed"));
    late.ledger.pass();

    let replayed = answer_of(in_flight).await;
    assert_eq!((replayed.status, replayed.body), (200, answer.body));
    assert!(replayed.headers.contains_key("idempotent-replayed"));
    stage.assert_charged(1).await;
}

/// The lease is over, and nobody has taken over: then nobody is hurt, and the guard lets it in.
#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_comes_late_and_is_not_overtaken_is_answered() {
    let stage = Stage::new("late_alone").await;
    let late = Late::start(&stage).await;
    let locks = stage.locks(testbed::shared().redis_url()).await;

    let in_flight = late.charging(&query("42", "k-1")).await;
    // Whoever waits for the lease gets it when it is over; it opens nothing, and gives it back.
    let ttl = fenced_section::Ttl::from_millis(1000).unwrap();
    let attempt = lease_lock::Attempt::new("user:7:dataset:42".parse().unwrap(), ttl);
    let lease = locks
        .acquire_within(&attempt, crate::stage::PATIENCE)
        .await
        .unwrap();
    assert!(matches!(
        lease.release().await,
        Ok(fenced_section::Released::Released)
    ));
    late.ledger.pass();

    assert_eq!(answer_of(in_flight).await.status, 200);
    assert_eq!(stage.refusals().await, []);
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c36_an_instance_frozen_past_its_lease_charges_nothing_when_it_wakes() {
    let stage = Stage::new("c36_frozen").await;
    let datasets = Proxy::to(stage.database_url()).await;
    let url = datasets.url(stage.database_url());
    let frozen = stage.instance(&[&SHORT, &[("QUERIES_URL", &url)]]).await;
    let other = stage.instance(&[&SHORT]).await;

    datasets.hold_requests_from(QUERY);
    let in_flight = asking(&frozen, &query("42", "k-1"));
    within("the slow query", datasets.caught()).await;
    frozen.freeze().await.unwrap();
    let answer = ask_until_answered(other.listen, &query("42", "k-1"), &[409]).await;
    frozen.thaw().unwrap();

    // Its query has no answer yet, and is dropped, so it charges nothing; even the release of what it held is refused.
    let replayed = answer_of(in_flight).await;
    assert_eq!((replayed.status, replayed.body), (200, answer.body));
    assert_eq!(stage.refusals().await, stale(&["release"]));
    stage.assert_charged(1).await;
}
