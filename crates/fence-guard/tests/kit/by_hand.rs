//! What statements by hand prove: only what fails because of the guard was refused by it.

use fence_guard::testing::{Report, Scenario, Verdict, conform};

use crate::variant::Variant;

/// What the kit says of statements by hand against the inventory, once these were run.
async fn verdict(statements: &'static str, column: &str) -> (Report, Verdict) {
    let (mut variant, _server) = Variant::start().await;
    variant.alter(statements).await;
    let protected = variant.claims.protected.as_mut().unwrap();
    protected.column = column.to_owned();
    let report = conform(variant).await.unwrap();
    let mut played = report.played.iter();
    let played = played.find(|played| played.scenario == Scenario::AroundTheGuard);
    let verdict = played.unwrap().verdict.clone();
    (report, verdict)
}

#[track_caller]
fn assert_held(verdict: &Verdict, expected: &str) {
    let Verdict::Held { seen } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(seen, expected);
}

/// Nobody can set a generated column, with a guard or without: so another one is set. That this is a change which
/// succeeds where no guard is in its way is seen in `inventory.rs`, where the guard that forgets it is convicted.
#[tokio::test]
async fn a_table_whose_resource_is_generated_is_tried_by_every_statement() {
    let (report, verdict) = verdict(include_str!("sql/generated.sql"), "named").await;
    assert!(report.conforms(), "{report}");
    assert_held(
        &verdict,
        "12 statements by hand were refused: no permit, an overtaken one, an invented one",
    );
}

#[tokio::test]
async fn a_table_that_others_refer_to_is_tried_by_every_statement() {
    let (report, verdict) = verdict(include_str!("sql/referenced.sql"), "resource").await;
    assert!(report.conforms(), "{report}");
    assert_held(
        &verdict,
        "12 statements by hand were refused: no permit, an overtaken one, an invented one",
    );
}

#[tokio::test]
async fn what_the_tables_own_rules_keep_from_being_done_is_told_as_not_tried() {
    let (report, verdict) = verdict(include_str!("sql/append_only.sql"), "resource").await;
    assert!(report.conforms(), "{report}");
    assert_held(
        &verdict,
        "6 statements by hand were refused: no permit, an overtaken one, an invented one; not tried, as the \
         table's own rules came before the guard: delete (P0001), update (P0001)",
    );
}

#[tokio::test]
async fn a_statement_that_fails_for_another_reason_is_no_refusal_and_nothing_is_proved() {
    let (report, verdict) = verdict(include_str!("sql/broken_trigger.sql"), "resource").await;
    assert!(!report.conforms(), "{report}");
    let Verdict::Unplayed { why } = verdict else {
        panic!("{report}");
    };
    let expected = "update failed for another reason than the guard: ";
    assert!(why.starts_with(expected), "{why}");
    assert!(why.contains("division by zero"), "{why}");
}
