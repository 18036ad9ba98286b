//! While one query of a dataset is in flight.

use std::time::Duration;

use fenced_section::Ttl;
use lease_lock::Attempt;
use testbed::Proxy;

use crate::call::Ask;
use crate::stage::{
    LONG, PATIENCE, QUERY, Stage, answer_of, ask, ask_until_answered, asking, got, query, within,
};

#[tokio::test(flavor = "multi_thread")]
async fn another_query_for_the_dataset_is_told_to_retry_shortly() {
    let stage = Stage::new("in_flight").await;
    stage.grant("8", 1).await;
    let datasets = Proxy::to(stage.database_url()).await;
    let url = datasets.url(stage.database_url());
    let first = stage.instance(&[&LONG, &[("QUERIES_URL", &url)]]).await;
    let second = stage.instance(&[&LONG]).await;

    datasets.hold_requests_from(QUERY);
    let in_flight = asking(&first, &query("42", "k-1"));
    within("the slow query", datasets.caught()).await;

    // Another key, and the very key that is in flight; on either instance.
    for (instance, key) in [(&first, "k-2"), (&second, "k-2"), (&second, "k-1")] {
        let answer = ask(instance, &query("42", key)).await;
        assert_eq!(answer.status, 409, "{answer:?}");
        let problem = answer.json();
        assert_eq!(problem["type"], "tag:dataset-service,2026:in-flight");
        assert_eq!(
            problem["detail"],
            "another query for this dataset is in flight; retry shortly"
        );
        // The lease has ten minutes to live; no query has ended here that could tell how long they take.
        assert_eq!(answer.retry_after(), Some(Duration::from_secs(1)));
    }
    let held = got(second.listen, "/users/7/credits").await.json();
    assert_eq!(
        (&held["balance"], &held["held"], &held["available"]),
        (&10.into(), &1.into(), &9.into())
    );

    // Other datasets and other users are not kept up.
    assert_eq!(ask(&second, &query("43", "k-3")).await.status, 200);
    let of_another = Ask {
        user: "8".to_owned(),
        ..query("42", "k-1")
    };
    assert_eq!(ask(&second, &of_another).await.status, 200);

    datasets.pass();
    assert_eq!(answer_of(in_flight).await.json()["balance"], 8);
    assert_eq!(ask(&second, &query("42", "k-2")).await.json()["balance"], 7);
    assert_eq!(stage.standing().await.held, 0);
    assert_eq!(stage.refusals().await, []);
}

/// What queries usually take, or what is left of the lease where that is less.
#[tokio::test(flavor = "multi_thread")]
async fn who_has_to_wait_is_told_what_a_query_usually_takes_and_no_more_than_the_lease() {
    let stage = Stage::new("hint").await;
    let instance = stage
        .instance(&[&LONG, &[("QUERY_TAKES_MS", "2100")]])
        .await;
    let waits = async |ttl: u64| {
        let attempt = Attempt::new(
            "user:7:dataset:42".parse().unwrap(),
            Ttl::from_millis(ttl).unwrap(),
        );
        let locks = stage.locks(testbed::shared().redis_url()).await;
        let lease = locks.acquire_within(&attempt, PATIENCE).await.unwrap();
        let answer = ask(&instance, &query("42", "k-2")).await;
        let _ = lease.release().await.unwrap();
        assert_eq!(answer.status, 409, "{answer:?}");
        answer.retry_after().unwrap().as_secs()
    };
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);
    assert_eq!(waits(600_000).await, 3);
    assert!((1..=2).contains(&waits(2000).await));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hangs_up_finds_the_answer_under_the_same_key() {
    let stage = Stage::new("hangs_up").await;
    let datasets = Proxy::to(stage.database_url()).await;
    let url = datasets.url(stage.database_url());
    let instance = stage.instance(&[&LONG, &[("QUERIES_URL", &url)]]).await;

    datasets.hold_requests_from(QUERY);
    let gone = asking(&instance, &query("42", "k-1"));
    within("the slow query", datasets.caught()).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    datasets.pass();

    let answer = ask_until_answered(instance.listen, &query("42", "k-1"), &[409]).await;
    assert!(
        answer.headers.contains_key("idempotent-replayed"),
        "it went on, and was answered once"
    );
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_has_all_it_takes_turns_the_next_away() {
    let stage = Stage::new("full").await;
    let datasets = Proxy::to(stage.database_url()).await;
    let url = datasets.url(stage.database_url());
    let one = [("QUERIES_URL", url.as_str()), ("AT_ONCE", "1")];
    let instance = stage.instance(&[&LONG, &one]).await;

    let other = stage.instance(&[&LONG]).await;
    let paid = ask(&other, &query("41", "paid")).await;
    assert_eq!(paid.status, 200, "{paid:?}");
    datasets.hold_requests_from(QUERY);
    let in_flight = asking(&instance, &query("42", "k-1"));
    within("the slow query", datasets.caught()).await;
    let answer = ask(&instance, &query("43", "k-2")).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &"tag:dataset-service,2026:full".into())
    );
    assert!(answer.retry_after().is_some());
    // What was paid for is not turned away.
    let replayed = ask(&instance, &query("41", "paid")).await;
    assert_eq!((replayed.status, replayed.body), (200, paid.body));
    datasets.pass();
    assert_eq!(answer_of(in_flight).await.status, 200);
    stage.assert_charged(2).await;
}

/// It had looked, and found nothing; then it was another's turn. The look after the opening is the one that counts.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_is_answered_between_the_look_and_the_lease_is_not_run_again() {
    let stage = Stage::new("looks_again").await;
    let redis = Proxy::to(testbed::shared().redis_url()).await;
    let url = redis.url(testbed::shared().redis_url());
    let slow = stage.instance(&[&LONG, &[("REDIS_URL", &url)]]).await;
    let other = stage.instance(&[&LONG]).await;

    redis.hold_requests_from("user:7:dataset:42");
    let in_flight = asking(&slow, &query("42", "k-1"));
    within("the request for the lease", redis.caught()).await;
    let answer = ask(&other, &query("42", "k-1")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    redis.pass();

    let replayed = answer_of(in_flight).await;
    assert_eq!((replayed.status, replayed.body), (200, answer.body));
    assert!(replayed.headers.contains_key("idempotent-replayed"));
    assert_eq!(stage.count("select count(*) from credit.hold").await, 1);
    stage.assert_charged(1).await;
}
