//! What is parked costs nobody time: a verb that locks an account reads the holds that have ended, and not those that
//! have not, unless it takes more than is there without looking (`holds_settled`).

use std::time::Duration;

use credit_ledger::{Hold, HoldState};
use promises::{capture, charge, hold, permit, release};
use sqlx::{AssertSqlSafe, PgConnection};

use crate::pages::counted;
use crate::setup::{Holding, ended};

/// Parked holds; every one of them would be seen among what is fetched.
pub(crate) const PARKED: i64 = 3_000;

/// The most rows of the history that one verb fetches: its request's, its hold's, and holds that have ended.
const FETCHED: i64 = 20;

/// Alice's ten credits, and so many that are parked.
pub(crate) async fn parked() -> Holding {
    let here = Holding::new().await;
    let parked = format!(
        "select set_config('holds.rows', '{PARKED}', false); {}",
        include_str!("sql/parked.sql")
    );
    let mut hand = here.world.session().await;
    hand.run(AssertSqlSafe(parked)).await;
    here
}

/// That since then no more than a few rows of the history were fetched.
pub(crate) async fn assert_few(tx: &mut PgConnection, verb: &str, before: i64) {
    let fetched = counted(tx).await.1 - before;
    assert!(fetched <= FETCHED, "{verb} fetched {fetched}");
}

#[tokio::test]
async fn no_verb_reads_what_is_parked_where_its_account_has_enough() {
    let here = parked().await;
    let (ledger, open) = (&here.client.ledger, &here.open);
    let mut tx = here.client.begin(open).await;
    // It is seen at all: else nothing below could fail.
    let before = counted(&mut tx).await.1;
    sqlx::query("select count(*) from credit.hold where amount = 42")
        .execute(&mut *tx)
        .await
        .unwrap();
    assert!(counted(&mut tx).await.1 - before >= PARKED);

    let (kept, freed) = (hold(&here.alice, 2), hold(&here.alice, 2));
    let charged = charge(&here.alice, 2);
    for one in [&kept, &freed] {
        let before = counted(&mut tx).await.1;
        ledger.hold_within(&mut tx, open, one).await.unwrap();
        assert_few(&mut tx, "hold", before).await;
    }
    let before = counted(&mut tx).await.1;
    ledger.charge_within(&mut tx, open, &charged).await.unwrap();
    assert_few(&mut tx, "charge", before).await;
    let before = counted(&mut tx).await.1;
    let captured = capture(&kept, 1);
    ledger
        .capture_within(&mut tx, open, &captured)
        .await
        .unwrap();
    assert_few(&mut tx, "capture", before).await;
    let before = counted(&mut tx).await.1;
    let released = release(&freed);
    ledger
        .release_within(&mut tx, open, &released)
        .await
        .unwrap();
    assert_few(&mut tx, "release", before).await;
    for (verb, call) in [
        (
            "grant",
            format!(
                "credit.grant('{}', 'alice', 1, 'query')",
                uuid::Uuid::new_v4()
            ),
        ),
        (
            "refund",
            format!(
                "credit.refund('{}', '{}', 1)",
                uuid::Uuid::new_v4(),
                charged.request
            ),
        ),
    ] {
        let before = counted(&mut tx).await.1;
        let outcome: String =
            sqlx::query_scalar(AssertSqlSafe(format!("select outcome from {call}")))
                .fetch_one(&mut *tx)
                .await
                .unwrap();
        assert_eq!(outcome, "applied", "{verb}");
        assert_few(&mut tx, verb, before).await;
    }
    tx.commit().await.unwrap();
    // Ten, and what is parked; two charged, one captured, one granted, one refunded.
    assert_eq!(here.standing().await, (9 + PARKED, PARKED));
}

#[tokio::test]
async fn a_sweep_reads_no_hold_that_has_not_expired() {
    let here = parked().await;
    let mut hand = here.world.session().await;
    hand.run("begin").await;
    let before = counted(&mut hand.connection).await.1;
    hand.run("select credit.sweep_holds()").await;
    assert_few(&mut hand.connection, "sweep", before).await;
    hand.run("rollback").await;
}

/// What is void is needed, or is not; either way it is void.
#[tokio::test]
async fn void_holds_are_given_back_by_whoever_needs_them_and_are_void_until_then() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let void = here.hold(6).await;
    let open = here.client.open(&permit("r", 2)).await;
    here.client.charge(&open, &charge(&here.alice, 4)).await;
    assert_eq!(here.states().await, [HoldState::Void]);
    assert_eq!(here.standing().await, (6, 0));
    let resolved = async || -> i64 {
        sqlx::query_scalar("select count(*) from credit.hold where resolution = 'void'")
            .fetch_one(here.world.pool())
            .await
            .unwrap()
    };
    assert_eq!(resolved().await, 0, "four were there without it");
    // Nobody captures it meanwhile.
    let captured = ledger.capture(&open, &capture(&void, 6)).await;
    assert_eq!(ended(captured), HoldState::Void);
    assert_eq!(resolved().await, 1);

    let again = Hold {
        expires_in: Duration::from_secs(60),
        ..hold(&here.alice, 6)
    };
    here.client.hold(&open, &again).await;
    let last = here.client.open(&permit("r", 3)).await;
    here.client.charge(&last, &charge(&here.alice, 1)).await;
    assert_eq!(resolved().await, 2, "one was not there without it");
    here.client.hold(&last, &hold(&here.alice, 5)).await;
    here.assert_sound().await;
}
