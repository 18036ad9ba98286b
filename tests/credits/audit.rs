//! The audit convicts each planted violation of what is held, resolved and refunded, names the first row that offends,
//! and keeps nobody waiting.

use credit_ledger::Finding;
use promises::{capture, charge, grant_of, hold, permit, refund, release, within};
use sqlx::Connection;

use crate::setup::Holding;

macro_rules! plant {
    ($rule:literal, $name:literal) => {
        (
            $rule,
            $name,
            include_str!(concat!("plants/", $name, ".sql")),
        )
    };
}

/// Each breaks one rule behind the ledger's back.
const PLANTS: &[(&str, &str, &str)] = &[
    plant!("S3", "hold_made_under_an_older_opening"),
    plant!("S3", "hold_released_under_an_older_opening"),
    plant!("S6", "request_of_a_charge_and_a_hold"),
    plant!("S6", "request_of_a_release_and_a_grant"),
    plant!("S8", "held_drifted"),
    plant!("S8", "held_on_no_account"),
    plant!("S8", "held_below_the_floor"),
    plant!("S8", "closed_with_a_balance"),
    plant!("S8", "captured_by_no_entry"),
    plant!("S8", "captured_twice"),
    plant!("S8", "captured_more_than_its_entry_moved"),
    plant!("S8", "captured_more_than_was_held"),
    plant!("S8", "captured_on_another_account"),
    plant!("S8", "captured_after_its_release"),
    plant!("S8", "captured_of_no_hold"),
    plant!("S8", "captured_though_void"),
    plant!("S8", "released_though_void"),
    plant!("S8", "captured_though_expired"),
    plant!("S8", "released_though_expired"),
    plant!("S8", "expired_before_its_time"),
    plant!("S8", "void_without_a_takeover"),
    plant!("S8", "void_before_its_takeover"),
    plant!("S8", "void_and_settled"),
    plant!("S8", "captured_for_another_purpose"),
    plant!("S8", "captured_under_another_resource"),
    plant!("S8", "charged_to_issued"),
    plant!("S8", "granted_from_spent"),
    plant!("S8", "refunded_more_than_was_charged"),
    plant!("S8", "refunded_of_no_charge"),
    plant!("S8", "refunded_from_issued"),
    plant!("S8", "refunded_for_another_purpose"),
];

/// Of alice's: a hold that was captured, one that was released, one that is open; a charge, half of it refunded. `r`
/// was opened twice, the first time for nothing.
async fn history() -> Holding {
    let here = Holding::new().await;
    here.world.account("bob", 5).await;
    here.world.account("empty", 0).await;
    let open = here.client.open(&permit("r", 2)).await;
    let here = Holding { open, ..here };
    let (kept, freed) = (here.hold(3).await, here.hold(2).await);
    here.client.capture(&here.open, &capture(&kept, 2)).await;
    let ledger = &here.client.ledger;
    ledger.release(&here.open, &release(&freed)).await.unwrap();
    let charged = charge(&here.alice, 2);
    here.client.charge(&here.open, &charged).await;
    ledger.refund(&refund(charged.request, 1)).await.unwrap();
    here.hold(1).await;
    here
}

#[tokio::test]
async fn each_planted_violation_is_convicted_of_its_rule_and_of_no_other() {
    let here = history().await;
    here.assert_sound().await;
    let mut session = here.world.session().await;
    for (rule, name, plant) in PLANTS {
        let mut tx = session.connection.begin().await.unwrap();
        sqlx::raw_sql("set local session_replication_role = replica")
            .execute(&mut *tx)
            .await
            .unwrap();
        sqlx::raw_sql(*plant).execute(&mut *tx).await.unwrap();
        let audit = "select rule, subject, seq, finding from credit.audit(null)";
        let findings: Vec<Finding> = sqlx::query_as(audit).fetch_all(&mut *tx).await.unwrap();
        tx.rollback().await.unwrap();
        assert!(!findings.is_empty(), "{name}");
        assert!(
            findings.iter().all(|f| f.rule == *rule),
            "{name}: {findings:?}"
        );
    }
    here.assert_sound().await;
}

#[tokio::test]
async fn the_first_offending_row_of_each_rule_is_reported_or_as_many_as_are_asked_for() {
    let here = history().await;
    let mut hand = here.world.session().await;
    // From the second entry on nothing continues what came before, and neither does the balance.
    hand.run(
        "begin; set local session_replication_role = replica;
         update credit.entry e set balance_after = balance_after + 1 where e.operation <> 'grant';
         update credit.account set balance = balance + 1 where name in ('alice', 'bob')",
    )
    .await;
    let found = async |hand: &mut promises::Session, limit: &str| -> Vec<Finding> {
        let audit = format!("select rule, subject, seq, finding from credit.audit({limit})");
        sqlx::query_as(sqlx::AssertSqlSafe(audit))
            .fetch_all(&mut hand.connection)
            .await
            .unwrap()
    };
    let first_broken: i64 =
        sqlx::query_scalar("select min(seq) from credit.entry where operation <> 'grant'")
            .fetch_one(&mut hand.connection)
            .await
            .unwrap();
    let all = found(&mut hand, "null").await;
    // The chain, once for alice; and each balance.
    assert_eq!(all.len(), 3, "{all:?}");
    let two = found(&mut hand, "2").await;
    assert_eq!(two.len(), 2);
    for limit in ["", "1", "0", "-1"] {
        let first = found(&mut hand, limit).await;
        assert_eq!(first.len(), 1, "{limit:?}: {first:?}");
        // Bob's balance is off at its only entry, which is older than the first broken link of alice's chain.
        assert!(first[0].seq < Some(first_broken));
        assert_eq!(first[0].subject, "bob");
    }
    let chain = all.iter().find(|finding| finding.seq == Some(first_broken));
    assert!(
        chain.is_some_and(|finding| finding.subject == "alice"),
        "{all:?}"
    );
    hand.run("rollback").await;
}

/// An audit that is not over: its transaction is open, with everything that it has locked.
#[tokio::test]
async fn an_audit_in_flight_keeps_no_writer_waiting_and_no_writer_it() {
    let here = history().await;
    let (mut auditor, writer) = (here.world.session().await, here.world.client().await);
    auditor.run("begin; select * from credit.audit(null)").await;
    let ledger = &here.client.ledger;
    let everything = async {
        here.client.open(&permit("r", 3)).await;
        let open = here.client.open(&permit("r", 4)).await;
        let (one, other) = (hold(&here.alice, 1), hold(&here.alice, 1));
        here.client.hold(&open, &one).await;
        here.client.hold(&open, &other).await;
        here.client.capture(&open, &capture(&one, 1)).await;
        ledger.release(&open, &release(&other)).await.unwrap();
        let charged = charge(&here.alice, 1);
        here.client.charge(&open, &charged).await;
        ledger.refund(&refund(charged.request, 1)).await.unwrap();
        let granted = grant_of(credit_ledger::RequestId::random(), &here.alice, 1);
        ledger.grant(&granted).await.unwrap();
        let mine = permit("once", 1);
        ledger
            .charge_once(&mine, &charge(&here.alice, 1), None)
            .await
            .unwrap();
        let empty = promises::account("empty");
        ledger.freeze_account(&empty).await.unwrap();
        ledger.set_floor(&empty, -1).await.unwrap();
        ledger.close_account(&empty).await.unwrap();
        ledger.sweep_holds(10).await.unwrap();
    };
    within("every verb beside an audit", everything).await;
    auditor.run("rollback").await;

    // And the other way around: what is in flight is not there yet, and nobody is waited for.
    let open = writer.open(&permit("s", 1)).await;
    let mut tx = writer.begin(&open).await;
    let one = charge(&here.alice, 1);
    let charged = writer.ledger.charge_within(&mut tx, &open, &one);
    charged.await.unwrap();
    within("an audit beside a writer", here.assert_sound()).await;
    tx.commit().await.unwrap();
    here.assert_sound().await;
}
