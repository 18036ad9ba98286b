//! How an instance ends when it is told to.

use std::time::{Duration, Instant};

use testbed::Proxy;

use crate::stage::{LONG, QUERY, Stage, answer_of, ask, asking, got, query, within};

/// An instance with a query in flight that does not end.
macro_rules! in_flight {
    ($stage:ident, $datasets:ident, $instance:ident, $in_flight:ident, $drain:expr) => {
        let $datasets = Proxy::to($stage.database_url()).await;
        let url = $datasets.url($stage.database_url());
        let options = [("QUERIES_URL", url.as_str()), ("DRAIN_MS", $drain)];
        let $instance = $stage.instance(&[&LONG, &options]).await;
        $datasets.hold_requests_from(QUERY);
        let $in_flight = asking(&$instance, &query("42", "k-1"));
        within("the slow query", $datasets.caught()).await;
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn told_to_stop_it_answers_what_is_in_flight_and_leaves_its_sections() {
    let stage = Stage::new("drain").await;
    in_flight!(stage, datasets, instance, in_flight, "600000");
    instance.terminate().unwrap();

    // It takes nobody new, and says so where it is asked.
    let stopping = async { while got(instance.ops, "/ready").await.json()["stopping"] != true {} };
    within("the end of readiness", stopping).await;
    let turned_away = async {
        while query("43", "k-2")
            .of(instance.listen, crate::stage::PATIENCE)
            .await
            .is_ok_and(|answer| answer.status == 503)
        {}
    };
    within("a closed door", turned_away).await;

    datasets.pass();
    assert_eq!(answer_of(in_flight).await.status, 200);
    assert!(instance.ended().await.unwrap().success());
    stage.assert_charged(1).await;
    // The lease, which has ten minutes to live, was given back.
    let other = stage.instance(&[&LONG]).await;
    assert_eq!(ask(&other, &query("42", "k-3")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_still_in_flight_at_the_end_of_the_drain_is_given_back_and_left() {
    let stage = Stage::new("give_up").await;
    in_flight!(stage, datasets, instance, in_flight, "1");
    instance.terminate().unwrap();

    let answer = answer_of(in_flight).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &"tag:dataset-service,2026:stopping".into())
    );
    assert!(answer.retry_after().is_some());
    assert!(instance.ended().await.unwrap().success());
    stage.assert_charged(0).await;
    // Its credits and its lease are free at once, though both had long to live.
    let other = stage.instance(&[&LONG]).await;
    assert_eq!(ask(&other, &query("42", "k-1")).await.status, 200);
    stage.assert_charged(1).await;
}

/// A load balancer goes on sending until it has seen that the instance is not ready. Whom it sends must not be refused the
/// connection, and who has paid already has his answer.
#[tokio::test(flavor = "multi_thread")]
async fn told_to_stop_it_is_not_ready_at_once_and_still_answers_whoever_is_sent_to_it() {
    let stage = Stage::new("lame_duck").await;
    let datasets = Proxy::to(stage.database_url()).await;
    let url = datasets.url(stage.database_url());
    let options = [("QUERIES_URL", url.as_str()), ("LAME_DUCK_MS", "600000")];
    let instance = stage.instance(&[&LONG, &options]).await;
    let paid = stage.instance(&[&LONG]).await;
    let paid = ask(&paid, &query("41", "paid")).await;
    datasets.hold_requests_from(QUERY);
    let in_flight = asking(&instance, &query("42", "k-1"));
    within("the slow query", datasets.caught()).await;
    instance.terminate().unwrap();
    let not_ready = async { while got(instance.ops, "/ready").await.status != 503 {} };
    within("the end of readiness", not_ready).await;

    let turned_away = ask(&instance, &query("43", "k-2")).await;
    assert_eq!(
        (turned_away.status, &turned_away.json()["type"]),
        (503, &"tag:dataset-service,2026:stopping".into())
    );
    // Else a proxy would send the next customer on the same connection.
    assert_eq!(turned_away.headers["connection"], "close");
    // Its readiness waits for no server, which may be silent just then.
    let ready = got(instance.ops, "/ready").await.json();
    assert_eq!(ready["postgres"], "not asked");
    assert_eq!(ask(&instance, &query("41", "paid")).await.body, paid.body);
    let shows = async |queries: u8| {
        let line = format!("dataset_service_in_flight {queries}");
        let seen = async { while !got(instance.ops, "/metrics").await.body.contains(&line) {} };
        within(&line, seen).await;
    };
    shows(1).await;
    datasets.pass();
    assert_eq!(answer_of(in_flight).await.status, 200);
    shows(0).await;
    // Nothing is in flight any more, and the door is still open.
    assert_eq!(ask(&instance, &query("43", "k-2")).await.status, 503);
    stage.assert_charged(2).await;
    instance.terminate().unwrap();
    assert_eq!(instance.ended().await.unwrap().code(), Some(143));
}

/// It has nothing to wait for, and customers may still be sent to it.
#[tokio::test(flavor = "multi_thread")]
async fn told_to_stop_with_nothing_in_flight_it_stays_until_nobody_is_sent_to_it_any_more() {
    let stage = Stage::new("idle_duck").await;
    let instance = stage.instance(&[&LONG, &[("LAME_DUCK_MS", "2500")]]).await;
    let told = Instant::now();
    instance.terminate().unwrap();
    assert!(instance.ended().await.unwrap().success());
    let stayed = told.elapsed();
    assert!(stayed >= Duration::from_millis(2500), "{stayed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn told_twice_it_ends_at_once() {
    let stage = Stage::new("twice").await;
    in_flight!(stage, datasets, instance, in_flight, "600000");
    instance.terminate().unwrap();
    let stopping = async { while got(instance.ops, "/ready").await.json()["stopping"] != true {} };
    within("the end of readiness", stopping).await;
    instance.terminate().unwrap();
    assert_eq!(instance.ended().await.unwrap().code(), Some(143));
    assert!(in_flight.await.unwrap().is_err(), "nobody answers");
    stage.assert_held(1).await;
}
