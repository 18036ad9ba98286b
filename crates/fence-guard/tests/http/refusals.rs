//! A has opened, B writes: under A's opening while nobody has overtaken it, and never after. Each refusal comes with
//! its numbers, and is a row like every other.

use fence_guard::http::{FencePermit, Problem, ProblemType};
use fence_guard::{OpenPermit, Permit, Reason};
use promises::{HOLD, permit, same_number};
use serde_json::{from_value, json};

use crate::service::{Answer, ServiceB, notes, world};
use crate::support::{headers_of, payload};

/// The header of somebody who says that it has opened, and has not.
fn claim(permit: &Permit) -> OpenPermit {
    let mut payload = payload(permit.resource().as_str(), &permit.fence().to_string());
    payload["permit"]["holder"] = json!(permit.holder());
    from_value(payload).unwrap()
}

#[track_caller]
fn assert_refused(answer: &Answer, reason: Reason, presented: &str, observed: &str) {
    let problem = answer.must_be(ProblemType::Refused(reason));
    assert_eq!(problem["resource"], "r");
    assert_eq!(problem["reason"], reason.as_str());
    assert_eq!(problem["presented_fence"], presented);
    assert_eq!(problem["observed_fence"], observed);
    assert_eq!(answer.status, 409);
}

#[tokio::test]
async fn b_writes_under_the_opening_of_a_until_a_is_overtaken() {
    let world = world().await;
    let (a, successor) = (world.client().await, world.client().await);
    let b = ServiceB::start(world.client().await.guard).await;

    let first = a.open(&permit("r", 1)).await;
    assert_eq!(b.note(&first, "in time").await.status, 200);
    let second = successor.open(&permit("r", 2)).await;
    let late = b.note(&first, "late").await;
    assert_refused(&late, Reason::Stale, "1", "2");
    late.assert_names_none_of(&[first.permit().holder(), second.permit().holder()]);
    assert_eq!(b.note(&second, "of the successor").await.status, 200);

    assert_eq!(notes(&world, "r").await, ["in time", "of the successor"]);
    let rows = world.refusals().await;
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0].operation.as_str(), rows[0].reason.as_str()),
        ("note", "stale")
    );
}

#[tokio::test]
async fn each_reason_to_refuse_is_a_problem_of_its_own() {
    let world = world().await;
    let a = world.client().await;
    let b = ServiceB::start(world.client().await.guard).await;

    let never_opened = claim(&permit("r", 7));
    let refused = b.note(&never_opened, "never opened").await;
    assert_refused(&refused, Reason::NotOpen, "7", "0");

    let open = a.open(&permit("r", 7)).await;
    let twin = claim(&same_number(open.permit()));
    let refused = b.note(&twin, "of another holder").await;
    assert_refused(&refused, Reason::Conflict, "7", "7");
    refused.assert_names_none_of(&[open.permit().holder(), twin.permit().holder()]);

    a.close(&open).await;
    let refused = b.note(&open, "after the close").await;
    assert_refused(&refused, Reason::Closed, "7", "7");
    assert!(notes(&world, "r").await.is_empty());
}

/// S2 across services: the successor of A waits for what B still writes for A.
#[tokio::test]
async fn what_b_has_in_flight_for_a_is_waited_out_by_the_successor_of_a() {
    let world = world().await;
    let (a, successor, at_b) = (
        world.client().await,
        world.client().await,
        world.client().await,
    );
    let b = ServiceB::start(at_b.guard).await;
    let first = a.open(&permit("r", 1)).await;

    let mut gate = world.session().await;
    gate.run("begin; lock table note in exclusive mode").await;
    let (headers, path) = (headers_of(&first), "/notes/r");
    let in_flight = promises::start(async move { b.put(path, &headers, "in flight").await });
    world.until_blocked(at_b.pid, gate.pid).await;
    let opening = successor.start_open(&permit("r", 2));
    world.until_blocked(successor.pid, at_b.pid).await;
    gate.run("commit").await;

    assert_eq!(in_flight.done().await.status, 200);
    opening.done().await.unwrap();
    let late = b.note(&first, "late").await;
    assert_refused(&late, Reason::Stale, "1", "2");
    assert_eq!(notes(&world, "r").await, ["in flight"]);
}

/// Whoever forges the setting past `begin` is caught by the trigger, and answered in the same way.
#[tokio::test]
async fn what_the_trigger_of_a_protected_table_refuses_is_the_same_problem() {
    let world = world().await;
    let a = world.client().await;
    let first = a.open(&permit("r", 1)).await;
    let mut tx = a
        .guard
        .begin(&first, "note", uuid::Uuid::nil(), HOLD)
        .await
        .unwrap();
    let stale = format!("7 {} r", first.permit().holder());
    sqlx::query("select set_config('fence.admitted', $1, true)")
        .bind(stale)
        .execute(&mut *tx)
        .await
        .unwrap();
    let raised = sqlx::query("insert into note values ('r', 'forged')")
        .execute(&mut *tx)
        .await
        .unwrap_err();

    let problem = Problem::from(raised);
    assert_eq!(problem.kind(), ProblemType::Refused(Reason::NotOpen));
    let members = serde_json::to_value(&problem).unwrap();
    assert_eq!(
        (&members["presented_fence"], &members["observed_fence"]),
        (&json!("7"), &json!("1"))
    );
}

/// Not only over HTTP: an opening in a job's payload is as good, and as bad.
#[tokio::test]
async fn an_opening_from_a_payload_begins_and_is_refused_like_the_one_that_was_sent() {
    let world = world().await;
    let (a, worker) = (world.client().await, world.client().await);
    let first = a.open(&permit("r", 1)).await;
    let payload = serde_json::to_string(&*first).unwrap();

    let arrived: OpenPermit = serde_json::from_str(&payload).unwrap();
    worker.begin(&arrived).await.commit().await.unwrap();
    a.open(&permit("r", 2)).await;
    let late = worker
        .guard
        .begin(&arrived, "note", uuid::Uuid::nil(), HOLD)
        .await;
    assert_eq!(
        promises::MustRefuse::must_refuse(late).reason(),
        Reason::Stale
    );
    assert!(FencePermit::from_headers(&headers_of(&arrived)).is_ok());
}
