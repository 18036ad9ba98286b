//! What a client may be long, wrong or slow with; and who may write to the table.

use std::time::Duration;

use fence_guard::{TriggerReason, TriggerRefusal};
use hyper::Request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::call::{Answer, Ask, send};
use crate::held::Held;
use crate::stage::{LONG, PATIENCE, QUERY, Stage, answer_of, ask, asking, got, query, within};

/// Well within the time after which an idle connection is closed anyway, 30 s.
const HALF_OF_IDLE: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_query_is_a_problem_that_says_so_and_costs_nothing() {
    let stage = Stage::new("bad").await;
    let instance = stage.instance(&[&LONG]).await;
    let long = format!("{{\"from\":1,\"to\":2{}}}", " ".repeat(2000));
    let long_id = "x".repeat(65);
    let bodied = |body: &str| Ask {
        body: body.to_owned(),
        ..query("42", "k-1")
    };
    let asked = [
        (bodied("{"), 400, "bad-query"),
        (bodied(r#"{"from": 31, "to": 1}"#), 400, "bad-query"),
        (bodied(&long), 413, "too-large"),
        (query("a%00b", "k-1"), 400, "bad-id"),
        (query("%ff", "k-1"), 400, "bad-id"),
        (query("a%2Fb", "k-1"), 400, "bad-id"),
        (query(&long_id, "k-1"), 400, "bad-id"),
        (
            Ask {
                user: "..%3Adataset".to_owned(),
                ..query("42", "k-1")
            },
            400,
            "bad-id",
        ),
    ];
    for (bad, status, kind) in asked {
        let answer = ask(&instance, &bad).await;
        assert_problem(&answer, status, kind);
    }
    assert_problem(
        &got(instance.listen, "/users/7/datasets/42/queries").await,
        405,
        "no-such-method",
    );
    assert_problem(&got(instance.listen, "/users/7").await, 404, "no-such-path");
    stage.assert_charged(0).await;
}

fn assert_problem(answer: &Answer, status: u16, kind: &str) {
    let problem = answer.json();
    let kind = format!("tag:dataset-service,2026:{kind}");
    assert_eq!(
        (answer.status, problem["type"].as_str()),
        (status, Some(kind.as_str())),
        "{answer:?}"
    );
    assert_eq!(problem["status"], status);
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    assert_eq!(answer.headers["cache-control"], "no-store");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_too_long_is_answered_with_431() {
    let stage = Stage::new("head").await;
    let instance = stage.instance(&[&LONG]).await;
    let request = Request::get("/users/7/credits").header("x-long", "x".repeat(20_000));
    let answer = send(
        instance.listen,
        request.body(String::new()).unwrap(),
        PATIENCE,
    )
    .await
    .unwrap();
    assert_eq!(answer.status, 431);
}

/// A body that never ends must not keep a slot, or a task, for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come_is_answered_with_408() {
    let stage = Stage::new("slow_body").await;
    let instance = stage.instance(&[&LONG]).await;
    let mut stream = TcpStream::connect(instance.listen).await.unwrap();
    let head = "POST /users/7/datasets/42/queries HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k-1\r\nContent-Length: 25\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut start = [0; 12];
    within("an answer", stream.read_exact(&mut start))
        .await
        .unwrap();
    assert_eq!(&start, b"HTTP/1.1 408");
}

/// All places are taken by clients that say nothing, and one that waits for its answer. Left to their own bound, half a
/// minute, the idle ones would keep everybody waiting for so long.
#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_give_way_to_a_customer_and_one_that_waits_for_its_answer_does_not() {
    let stage = Stage::new("idle").await;
    let held = Held::start(&stage, &[&LONG[..], &[("CONNECTIONS", "4")]].concat()).await;
    held.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&held.instance, &query("42", "k-1"));
    within("the slow query", held.datasets.caught()).await;
    let mut silent = TcpStream::connect(held.instance.listen).await.unwrap();
    let _never = TcpStream::connect(held.instance.listen).await.unwrap();
    let mut kept = TcpStream::connect(held.instance.listen).await.unwrap();
    let asked = "GET /users/7/credits HTTP/1.1\r\nHost: x\r\n\r\n";
    kept.write_all(asked.as_bytes()).await.unwrap();
    let mut start = [0; 12];
    within("an answer", kept.read_exact(&mut start))
        .await
        .unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");

    let asked = hyper::Request::get("/users/7/credits").body(String::new());
    let answer = send(held.instance.listen, asked.unwrap(), HALF_OF_IDLE).await;
    assert_eq!(answer.unwrap().status, 200);
    let closed = within("the end of an idle one", silent.read(&mut start));
    assert_eq!(closed.await.unwrap(), 0);
    held.datasets.pass();
    assert_eq!(answer_of(in_flight).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_takes_too_long_is_stopped_on_the_server_and_costs_nothing() {
    let stage = Stage::new("too_long").await;
    let options = [("QUERY_LIMIT_MS", "300"), ("QUERY_TAKES_MS", "600000")];
    let instance = stage.instance(&[&LONG, &options]).await;
    let answer = ask(&instance, &query("42", "k-1")).await;
    assert_problem(&answer, 504, "query-too-long");
    // Fewer days are another query, so the same key would be refused.
    let problem = answer.json();
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.ends_with("ask for fewer days with a new key"),
        "{detail}"
    );
    stage.assert_charged(0).await;
    let running = "select count(*) from pg_stat_activity where state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()
                   and datname = current_database()";
    assert_eq!(stage.count(running).await, 0);
}

/// An operator has ended it (`pg_cancel_backend`), long before its limit, and Postgres says the same SQLSTATE.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_somebody_ends_is_not_told_to_have_taken_too_long() {
    let stage = Stage::new("ended").await;
    let instance = stage
        .instance(&[&LONG, &[("QUERY_TAKES_MS", "600000")]])
        .await;
    let in_flight = asking(&instance, &query("42", "k-1"));
    let end = "select count(*) from (select pg_cancel_backend(pid) from pg_stat_activity where state = 'active'
               and query like '%pg_sleep%' and pid <> pg_backend_pid() and datname = current_database()) ended";
    let ended = async { while stage.count(end).await == 0 {} };
    within("the slow query", ended).await;
    let answer = answer_of(in_flight).await;
    assert_problem(&answer, 503, "unavailable");
    assert_eq!(answer.retry_after().map(|after| after.as_secs()), Some(1));
    stage.assert_charged(0).await;
}

/// A body that breaks off, and one that is in no form of HTTP: neither is too long.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_body_is_a_bad_request_and_not_too_long() {
    let stage = Stage::new("broken_body").await;
    let instance = stage.instance(&[&LONG]).await;
    let mut stream = TcpStream::connect(instance.listen).await.unwrap();
    let request = "POST /users/7/datasets/42/queries HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k-1\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    within("an answer", stream.read_to_string(&mut answer))
        .await
        .unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("broken-body"), "{answer}");
}

/// What a handler that has forgotten to open, or a hand at a keyboard, would do.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_writes_an_answer_who_was_not_admitted_for_its_dataset() {
    let stage = Stage::new("protected").await;
    let instance = stage.instance(&[&LONG]).await;
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);
    for sql in [
        "update dataset.query set answer = 'another'",
        "delete from dataset.query",
        "insert into dataset.query (request, resource, asked) select gen_random_uuid(), resource, asked from dataset.query",
    ] {
        let error = sqlx::query(sql).execute(&stage.pool).await.unwrap_err();
        let refused = TriggerRefusal::of(&error).expect(sql);
        assert_eq!(refused.reason(), TriggerReason::NotAdmitted);
        assert_eq!(refused.resource(), Some("user:7:dataset:42"));
    }
    stage.assert_charged(1).await;
}
