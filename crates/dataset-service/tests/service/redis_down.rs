//! The three ways to go on, or not, while Redis does not answer.

use testbed::{Options, Proxy, RedisServer};

use crate::stage::{
    LONG, QUERY, Stage, answer_of, ask, ask_until_answered, asking, got, query, within,
};

async fn redis() -> RedisServer {
    tokio::task::spawn_blocking(|| RedisServer::start(&Options::throw_away()))
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn c37_failing_closed_answers_nothing_charges_nothing_and_goes_on_by_itself() {
    let stage = Stage::new("fail_closed").await;
    let mut redis = redis().await;
    let url = redis.url().to_owned();
    let instance = stage.instance(&[&LONG, &[("REDIS_URL", &url)]]).await;
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);

    tokio::task::block_in_place(|| redis.stop()).unwrap();
    let answer = ask(&instance, &query("42", "k-2")).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(
        answer.json()["detail"],
        "Redis does not answer, nothing was charged by this request; the same key finds out whether it is answered"
    );
    assert!(answer.retry_after().is_some());
    // What is known is known without Redis.
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);
    let ready = got(instance.ops, "/ready").await;
    assert_eq!(
        (ready.status, &ready.json()["redis"]),
        (503, &"does not answer".into())
    );
    stage.assert_charged(1).await;

    // It comes back empty, and the next fence goes on above the guard's mark.
    tokio::task::block_in_place(|| redis.restart()).unwrap();
    ask_until_answered(instance.listen, &query("42", "k-2"), &[503]).await;
    stage.assert_charged(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn entering_from_the_guard_answers_and_charges_and_keeps_others_out() {
    let stage = Stage::new("from_guard").await;
    let mut redis = redis().await;
    let url = redis.url().to_owned();
    let datasets = Proxy::to(stage.database_url()).await;
    let slow = datasets.url(stage.database_url());
    let options = [
        ("REDIS_URL", url.as_str()),
        ("REDIS_DOWN", "enter-from-guard"),
    ];
    let first = stage
        .instance(&[&LONG, &options, &[("QUERIES_URL", &slow)]])
        .await;
    let second = stage.instance(&[&LONG, &options]).await;
    tokio::task::block_in_place(|| redis.stop()).unwrap();

    datasets.hold_requests_from(QUERY);
    let in_flight = asking(&first, &query("42", "k-1"));
    within("the slow query", datasets.caught()).await;
    let answer = ask(&second, &query("42", "k-2")).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (409, &"tag:dataset-service,2026:in-flight".into())
    );
    // The other's opening is valid for ten minutes, and that is not how long a query takes.
    assert_eq!(answer.retry_after().map(|after| after.as_secs()), Some(1));
    datasets.pass();
    assert_eq!(answer_of(in_flight).await.json()["charged"], 1);
    assert_eq!(ask(&second, &query("42", "k-2")).await.json()["charged"], 1);
    let ready = got(first.ops, "/ready").await;
    assert_eq!(
        (ready.status, &ready.json()["redis"]),
        (200, &"does not answer".into())
    );
    stage.assert_charged(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn running_unfenced_answers_and_cannot_charge() {
    let stage = Stage::new("unfenced").await;
    let mut redis = redis().await;
    let url = redis.url().to_owned();
    let options = [("REDIS_URL", url.as_str()), ("REDIS_DOWN", "run-unfenced")];
    let instance = stage.instance(&[&LONG, &options]).await;
    tokio::task::block_in_place(|| redis.stop()).unwrap();

    let answer = ask(&instance, &query("42", "k-1")).await;
    assert_eq!((answer.status, &answer.json()["charged"]), (200, &0.into()));
    assert!(answer.json().get("balance").is_none(), "{answer:?}");
    stage.assert_charged(0).await;

    let figures = got(instance.ops, "/metrics").await.body;
    let query_took = "dataset_service_query_seconds_count 1";
    assert!(figures.lines().any(|line| line == query_took), "{figures}");

    // Nothing of it was kept: with Redis back, the same key is a query that is paid for.
    tokio::task::block_in_place(|| redis.restart()).unwrap();
    let charged = async {
        loop {
            let answer = ask(&instance, &query("42", "k-1")).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            if answer.json()["charged"] == 1 {
                return;
            }
        }
    };
    within("a charge", charged).await;
    stage.assert_charged(1).await;
}

/// It restarts, or is scheduled anew, during the outage: what was chosen for the outage holds for it as well.
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_starts_without_redis_does_what_was_chosen_and_charges_when_it_is_back() {
    for (choice, ready, status, charged) in [
        ("fail-closed", 503, 503, None),
        ("enter-from-guard", 200, 200, Some(1)),
        ("run-unfenced", 200, 200, Some(0)),
    ] {
        let stage = Stage::new("starts_without").await;
        let mut redis = redis().await;
        let url = redis.url().to_owned();
        tokio::task::block_in_place(|| redis.stop()).unwrap();
        let options = [("REDIS_URL", url.as_str()), ("REDIS_DOWN", choice)];
        let instance = stage.instance(&[&LONG, &options]).await;
        assert_eq!(got(instance.ops, "/ready").await.status, ready, "{choice}");
        let answer = ask(&instance, &query("42", "k-1")).await;
        assert_eq!(answer.status, status, "{choice}");
        assert_eq!(answer.json()["charged"].as_i64(), charged, "{choice}");
        assert!(instance.log().contains("starting without Redis"));

        tokio::task::block_in_place(|| redis.restart()).unwrap();
        let back =
            async { while got(instance.ops, "/ready").await.json()["redis"] != "answers" {} };
        within("Redis", back).await;
        let answer = ask_until_answered(instance.listen, &query("42", "k-2"), &[503]).await;
        assert_eq!(answer.json()["charged"], 1, "{choice}");
        let figures = got(instance.ops, "/metrics").await.body;
        assert!(
            figures.contains("fenced_section_entered{by=\"lease\"} 1"),
            "{figures}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_unfenced_is_given_up_at_the_end_of_the_drain_as_well() {
    let stage = Stage::new("unfenced_end").await;
    let mut redis = redis().await;
    let url = redis.url().to_owned();
    let datasets = Proxy::to(stage.database_url()).await;
    let slow = datasets.url(stage.database_url());
    let options = [
        ("REDIS_URL", url.as_str()),
        ("REDIS_DOWN", "run-unfenced"),
        ("QUERIES_URL", &slow),
        ("DRAIN_MS", "1"),
    ];
    let instance = stage.instance(&[&LONG, &options]).await;
    tokio::task::block_in_place(|| redis.stop()).unwrap();

    datasets.hold_requests_from(QUERY);
    let in_flight = asking(&instance, &query("42", "k-1"));
    within("the slow query", datasets.caught()).await;
    instance.terminate().unwrap();
    let answer = answer_of(in_flight).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &"tag:dataset-service,2026:stopping".into())
    );
    assert!(instance.ended().await.unwrap().success());
}
