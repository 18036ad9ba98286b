//! What the log says.

use serde_json::Value;
use sqlx::types::Uuid;

use crate::held::Held;
use crate::instance::Instance;
use crate::stage::{
    LONG, QUERY, Stage, answer_of, ask, ask_until_answered, asking, got, query, within,
};

/// The lines so far.
fn lines(instance: &Instance) -> Vec<Value> {
    let log = instance.log();
    log.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// The lines that say how so many requests were answered, once they are there.
async fn answered(instance: &Instance, requests: usize) -> Vec<Value> {
    let all = async {
        loop {
            let mut lines = lines(instance);
            lines.retain(|line| line["message"] == "answered");
            if lines.len() >= requests {
                return lines;
            }
            tokio::task::yield_now().await;
        }
    };
    within("a line for each request", all).await
}

/// A warning of that kind, once it is there.
async fn warning(instance: &Instance, is_it: impl Fn(&Value) -> bool) -> Value {
    let said = async {
        loop {
            let found = lines(instance).into_iter().find(&is_it);
            match found {
                Some(line) => return line,
                None => tokio::task::yield_now().await,
            }
        }
    };
    let line = within("a warning", said).await;
    assert_eq!(line["level"], "WARN", "{line}");
    line
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_for_each_request_says_how_it_was_answered_and_leads_to_its_rows() {
    let stage = Stage::new("log").await;
    let instance = stage.instance(&[&LONG, &[("PRICE", "6")]]).await;
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);
    assert_eq!(ask(&instance, &query("42", "k-2")).await.status, 402);
    assert_eq!(ask(&instance, &query("a%20b", "k-3")).await.status, 400);
    let lines = answered(&instance, 4).await;
    assert_eq!(lines.len(), 4, "{lines:?}");

    let (request, holder): (Uuid, Uuid) = sqlx::query_as(
        "select q.request, o.holder from dataset.query q join fence.opening o using (resource) where o.fence = 1",
    )
    .fetch_one(&stage.pool)
    .await
    .unwrap();
    let of = |line: &Value| (line["answer.kind"].clone(), line["http.status"].clone());
    assert_eq!(of(&lines[0]), ("answered".into(), 200.into()));
    assert_eq!(of(&lines[1]), ("replayed".into(), 200.into()));
    assert_eq!(of(&lines[2]), ("no-credit".into(), 402.into()));
    assert_eq!(of(&lines[3]), ("bad-id".into(), 400.into()));
    for line in &lines {
        assert_eq!(line["level"], "INFO");
        assert!(line["http.took_ms"].is_u64(), "{line}");
        assert!(line.get("span").is_none(), "the span, in its list: {line}");
        assert_eq!(line["spans"].as_array().unwrap().len(), 1, "{line}");
    }
    let first = &lines[0]["spans"][0];
    assert_eq!(first["request.id"], request.to_string());
    assert_eq!(first["fence.holder"], holder.to_string());
    assert_eq!(first["fence.presented"], 1);
    // A replay enters nothing; what is turned away after it has entered tells under which fence.
    assert_eq!(lines[1]["spans"][0]["request.id"], request.to_string());
    assert!(lines[1]["spans"][0].get("fence.presented").is_none());
    assert_eq!(lines[2]["spans"][0]["fence.presented"], 2);
}

/// What went wrong is a line of its own, in the same span, also where no more than warnings are logged.
#[tokio::test(flavor = "multi_thread")]
async fn why_a_server_did_not_answer_is_said_once_and_of_which_request() {
    let stage = Stage::new("log_why").await;
    let held = Held::start(
        &stage,
        &[&LONG[..], &[("RUST_LOG", "warn,dataset_service::run=info")]].concat(),
    )
    .await;
    held.ledger.close();
    assert_eq!(ask(&held.instance, &query("42", "k-1")).await.status, 503);
    let line = warning(&held.instance, |line| line["answer.kind"] == "unavailable").await;
    let why = line["error"].as_str().unwrap();
    let parts: Vec<_> = why.split(": ").collect();
    for part in &parts {
        let times = parts.iter().filter(|other| *other == part).count();
        assert_eq!(times, 1, "{why}");
    }
    assert!(line["spans"][0]["request.id"].is_string(), "{line}");
}

/// The customer hears of the first try alone, that it is unknown; why the second was in vain is for the log.
#[tokio::test(flavor = "multi_thread")]
async fn why_a_charge_was_sent_again_in_vain_is_said() {
    let stage = Stage::new("log_again").await;
    let held = Held::start(&stage, &LONG).await;
    held.datasets.hold_requests_from(QUERY);
    let in_flight = asking(&held.instance, &query("42", "k-1"));
    held.until_its_charge_commits().await;
    held.commit_unheard().await;
    held.ledger.close();
    let answer = answer_of(in_flight).await;
    let unknown = "tag:dataset-service,2026:unknown";
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (503, &unknown.into())
    );
    let again = "a charge whose reply was lost was sent again, in vain";
    let line = warning(&held.instance, |line| line["message"] == again).await;
    assert!(line["error"].is_string(), "{line}");
    assert!(line["spans"][0]["request.id"].is_string(), "{line}");
    held.ledger.reopen();
    held.ledger.pass();
    let found = ask_until_answered(held.instance.listen, &query("42", "k-1"), &[503]).await;
    assert!(found.headers.contains_key("idempotent-replayed"));
    stage.assert_charged(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_says_nothing_of_what_is_in_place_already() {
    let stage = Stage::new("log_start").await;
    drop(stage.instance(&[&LONG]).await);
    let again = stage.instance(&[&LONG]).await;
    assert_eq!(got(again.ops, "/live").await.status, 200);
    let lines = lines(&again);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["message"], "serving");
}
