//! What B answers where no permit was refused: requests without one, with one that cannot be read or is of something
//! else, and a database that does not do as it is told. None of it says what Postgres said.

use std::time::Duration;

use fence_guard::http::ProblemType;
use fence_guard::{Guard, GuardOptions, OpenPermit};
use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use promises::{World, permit, start};

use crate::service::{Answer, ServiceB, notes, world};
use crate::support::{WRITTEN, headers_of, opening};

fn retry_after_s(answer: &Answer) -> u64 {
    answer.headers[RETRY_AFTER]
        .to_str()
        .unwrap()
        .parse()
        .unwrap()
}

/// A world, an opening of `r` in it, and a B.
async fn opened() -> (World, std::sync::Arc<OpenPermit>, ServiceB) {
    let world = world().await;
    let open = world.client().await.open(&permit("r", 1)).await;
    let b = ServiceB::start(world.client().await.guard).await;
    (world, open, b)
}

#[tokio::test]
async fn without_a_permit_nothing_is_written_and_the_answer_is_428() {
    let (world, _, b) = opened().await;
    let answer = b.put("/notes/r", &HeaderMap::new(), "a note").await;
    let problem = answer.must_be(ProblemType::PermitMissing);
    assert_eq!(answer.status, 428);
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("send the opening along")
    );
    assert!(notes(&world, "r").await.is_empty());
}

#[tokio::test]
async fn a_permit_that_cannot_be_read_is_answered_with_400_also_where_none_is_needed() {
    let (_world, _, b) = opened().await;
    for lines in [
        &["nonsense"][..],
        &[WRITTEN, WRITTEN],
        &[&format!("{WRITTEN};ttl=1")],
    ] {
        for path in ["/notes/user:7:dataset:42", "/read/user:7:dataset:42"] {
            let answer = b.put_lines(path, lines).await;
            answer.must_be(ProblemType::PermitMalformed);
            assert_eq!(answer.status, 400);
        }
    }
}

#[tokio::test]
async fn an_endpoint_that_needs_no_permit_takes_requests_with_and_without_one() {
    let (_world, _, b) = opened().await;
    let with = b.put("/read/r", &headers_of(&opening()), "").await;
    assert_eq!((with.status, with.body.as_str()), (200, "7"));
    let without = b.put("/read/r", &HeaderMap::new(), "").await;
    assert_eq!((without.status, without.body.as_str()), (200, "anybody"));
}

#[tokio::test]
async fn a_permit_of_another_resource_than_the_request_is_answered_with_400() {
    let (world, open, b) = opened().await;
    let answer = b.put("/notes/other", &headers_of(&open), "a note").await;
    let problem = answer.must_be(ProblemType::OtherResource);
    assert_eq!(
        problem["detail"],
        "the request is about other, but its fence-permit is of r; send the permit of other"
    );
    assert!(notes(&world, "other").await.is_empty());
    assert!(world.refusals().await.is_empty());
}

#[tokio::test]
async fn a_service_that_writes_a_row_of_another_resource_answers_500_and_has_written_neither() {
    let (world, open, b) = opened().await;
    let answer = b
        .put("/notes/r/and/other", &headers_of(&open), "both")
        .await;
    answer.must_be(ProblemType::Internal);
    assert!(
        !answer.body.contains("note") && !answer.body.contains("ZF"),
        "{}",
        answer.body
    );
    assert!(notes(&world, "r").await.is_empty() && notes(&world, "other").await.is_empty());
}

#[tokio::test]
async fn what_another_holder_keeps_open_is_answered_with_409_and_when_to_come_back() {
    let (_world, _, b) = opened().await;
    let first = b.put("/openings/minted", &HeaderMap::new(), "").await;
    assert_eq!((first.status, first.body.as_str()), (200, "1"));
    let answer = b.put("/openings/minted", &HeaderMap::new(), "").await;
    answer.must_be(ProblemType::Busy);
    // It is held for longer; nobody is told to wait for more than a minute.
    assert_eq!((answer.status, retry_after_s(&answer)), (409, 60));
}

#[tokio::test]
async fn what_writes_in_flight_keep_locked_is_answered_with_503_and_names_no_session() {
    let world = world().await;
    let writer = world.client().await;
    let open = writer.open(&permit("r", 1)).await;
    let impatient = GuardOptions::default().with_wait(Duration::from_millis(1));
    let b = ServiceB::start(Guard::with_options(world.pool().clone(), impatient)).await;

    let in_flight = writer.begin(&open).await;
    let answer = b.put("/openings/r/under/2", &HeaderMap::new(), "").await;
    in_flight.rollback().await.unwrap();
    let problem = answer.must_be(ProblemType::Blocked);
    assert_eq!((answer.status, retry_after_s(&answer)), (503, 1));
    // The error itself names the session, for an operator.
    assert_eq!(
        problem["detail"],
        "writes in flight keep the resource locked, nothing was written; try again"
    );
}

#[tokio::test]
async fn without_a_connection_to_the_database_the_answer_is_503() {
    let (world, open, _) = opened().await;
    let at_b = world.client().await;
    let b = ServiceB::start(at_b.guard.clone()).await;
    at_b.guard.pool().close().await;
    let answer = b.note(&open, "a note").await;
    answer.must_be(ProblemType::Unavailable);
    assert_eq!(answer.status, 503);
    assert!(!answer.body.contains("pool"), "{}", answer.body);
}

#[tokio::test]
async fn a_reply_that_was_lost_is_answered_as_unknown() {
    let (world, open, _) = opened().await;
    let at_b = world.client().await;
    let b = ServiceB::start(at_b.guard.clone()).await;
    let mut gate = world.session().await;
    gate.run("begin; lock table note in exclusive mode").await;
    let headers = headers_of(&open);
    let in_flight = start(async move { b.put("/notes/r", &headers, "a note").await });
    world.until_blocked(at_b.pid, gate.pid).await;
    sqlx::query("select pg_terminate_backend($1)")
        .bind(at_b.pid)
        .execute(world.pool())
        .await
        .unwrap();
    let answer = in_flight.done().await;
    answer.must_be(ProblemType::Unknown);
    assert_eq!(answer.status, 500);
    assert!(!answer.body.contains("terminat"), "{}", answer.body);
}

#[tokio::test]
async fn what_postgres_says_about_its_schema_is_told_to_nobody() {
    let (world, open, b) = opened().await;
    sqlx::raw_sql("drop function fence.admit cascade")
        .execute(world.pool())
        .await
        .unwrap();
    let answer = b.note(&open, "a note").await;
    answer.must_be(ProblemType::Internal);
    assert_eq!(answer.status, 500);
    assert!(
        !answer.body.contains("admit") && !answer.body.contains("function"),
        "{}",
        answer.body
    );
}
