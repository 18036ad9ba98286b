//! What the kit says, beside "held".

use std::time::Duration;

use fence_guard::testing::{KitError, Report, Scenario, Verdict, conform};
use promises::within;

use crate::database;
use crate::variant::{Hangs, Variant};

fn verdict(report: &Report, scenario: Scenario) -> &Verdict {
    let mut played = report.played.iter();
    &played
        .find(|played| played.scenario == scenario)
        .expect("every scenario is in the report")
        .verdict
}

#[tokio::test]
async fn a_service_that_names_a_table_without_its_effects_is_not_said_to_conform() {
    let (mut variant, _server) = Variant::start().await;
    variant.claims.effects = vec!["inventory.item".to_owned()];
    let report = conform(variant).await.unwrap();
    assert!(!report.conforms());
    let Verdict::Unplayed { why } = verdict(&report, Scenario::InFlight) else {
        panic!("{report}");
    };
    assert!(why.contains("Claims::effects"), "{why}");
    assert_eq!(report.convictions().count(), 0, "{report}");
}

#[tokio::test]
async fn what_a_service_does_not_claim_is_not_tried_and_the_report_says_so() {
    let (mut variant, _server) = Variant::start().await;
    variant.claims.closes = false;
    variant.claims.request_ids = false;
    variant.claims.guarded_reads = false;
    variant.claims.protected = None;
    let report = conform(variant).await.unwrap().require().unwrap();
    let not_claimed = [
        Scenario::Closed,
        Scenario::Replay,
        Scenario::Twins,
        Scenario::StaleRead,
        Scenario::AroundTheGuard,
    ];
    for scenario in not_claimed {
        assert_eq!(verdict(&report, scenario), &Verdict::NotClaimed);
    }
    let text = report.to_string();
    assert!(text.contains("15 held, 0 broken, 5 not claimed"), "{text}");
}

#[tokio::test]
async fn a_service_whose_writes_come_to_nothing_is_told_the_rule_what_was_seen_and_where_to_look() {
    let (mut variant, _server) = Variant::start().await;
    variant.loses_writes = true;
    let error = conform(variant)
        .await
        .unwrap()
        .require()
        .unwrap_err()
        .to_string();
    let text = error.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("was said to have succeeded"), "{error}");
    assert!(
        text.contains("S7: every refusal is one row, true, and bounded"),
        "{error}"
    );
    assert!(text.contains("Look at"), "{error}");
}

#[tokio::test]
async fn after_a_run_no_gate_stands_on_any_table() {
    let (variant, _server) = Variant::start().await;
    conform(variant.clone()).await.unwrap().require().unwrap();
    let pool = database::pool(&variant.warehouse.operator).await.unwrap();
    let gates: i64 = sqlx::query_scalar(include_str!("sql/gates.sql"))
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(gates, 0);
}

#[tokio::test]
async fn an_operator_who_does_not_own_the_tables_is_told_what_is_missing() {
    let (mut variant, _server) = Variant::start().await;
    variant.claims.operator = variant.warehouse.service.clone();
    let error = conform(variant).await.unwrap_err().to_string();
    assert!(error.contains("a role that owns the tables"), "{error}");
}

/// The rest of the run goes on, and the test of a service comes to an end.
#[tokio::test]
async fn a_service_that_hangs_before_it_is_tried_is_told_where_and_after_which_time() {
    for (hangs, expected) in [
        (
            Hangs::Prepare,
            "the service did not prepare within 500ms (Claims::patience)",
        ),
        (
            Hangs::LaterStart,
            "the service did not start within 500ms (Claims::patience)",
        ),
    ] {
        let (mut variant, _server) = Variant::start().await;
        variant.hangs = Some(hangs);
        variant.claims.patience = Duration::from_millis(500);
        // Each scenario takes that time, one after the other.
        let run = tokio::time::timeout(Duration::from_secs(60), conform(variant));
        let report = run.await.expect("the whole run has an end").unwrap();
        let why = expected.to_owned();
        assert_eq!(
            verdict(&report, Scenario::Window),
            &Verdict::Unplayed { why }
        );
        assert!(!report.conforms());
    }
}

#[tokio::test]
async fn a_service_that_never_starts_is_told_so() {
    let (mut variant, _server) = Variant::start().await;
    variant.hangs = Some(Hangs::FirstStart);
    variant.claims.patience = Duration::from_millis(500);
    let error = within("the kit", conform(variant)).await.unwrap_err();
    assert!(matches!(error, KitError::NotStarted { .. }), "{error}");
}
