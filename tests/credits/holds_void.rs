//! Void by takeover: a hold dies with the opening that it was made under, when another replaces that unclosed. Nobody
//! writes it: the predicate is judged by whoever looks, and `open` touches no account.

use std::sync::Arc;
use std::time::Duration;

use credit_ledger::HoldState;
use fence_guard::{OpenPermit, Reason, Retention};
use promises::{HOLD, MustRefuse, capture, charge, hold, permit, release};
use time::OffsetDateTime;

use crate::setup::{Holding, ended};

impl Holding {
    /// The next holder opens `r`.
    async fn successor(&self, fence: u64) -> Arc<OpenPermit> {
        self.client.open(&permit("r", fence)).await
    }
}

/// C36: the payment takes longer than the lock; a sweep takes the lock, sees that nothing is paid, and pays.
#[tokio::test]
async fn c36_a_payment_that_outlives_its_lock_is_not_paid_by_the_sweep_and_by_itself() {
    let here = Holding::new().await;
    let slow = here.hold(7).await;

    let sweep = here.successor(2).await;
    let ledger = &here.client.ledger;
    let since = OffsetDateTime::UNIX_EPOCH;
    let paid = ledger.charged(&here.alice, &slow.purpose, since).await;
    assert_eq!(paid.unwrap(), 0);
    // All of its credits are there: what the slow one holds is void.
    let again = hold(&here.alice, 7);
    here.client.hold(&sweep, &again).await;
    here.client.capture(&sweep, &capture(&again, 7)).await;

    let late = ledger.capture(&here.open, &capture(&slow, 7)).await;
    assert_eq!(late.must_refuse().reason(), Reason::Stale);
    let late = ledger.release(&here.open, &release(&slow)).await;
    assert_eq!(late.must_refuse().reason(), Reason::Stale);
    assert_eq!(here.standing().await, (3, 0));
    assert_eq!(here.states().await, [HoldState::Void, HoldState::Captured]);
    here.assert_sound().await;
}

#[tokio::test]
async fn nobody_captures_or_releases_what_was_held_by_a_holder_that_was_overtaken() {
    let here = Holding::new().await;
    let dead = here.hold(7).await;
    let successor = here.successor(2).await;
    let ledger = &here.client.ledger;
    for outcome in [
        ledger
            .capture(&successor, &capture(&dead, 7))
            .await
            .map(|_| ()),
        ledger
            .release(&successor, &release(&dead))
            .await
            .map(|_| ()),
    ] {
        assert_eq!(ended(outcome), HoldState::Void);
    }
    assert_eq!(here.standing().await, (10, 0));
    here.assert_sound().await;
}

/// By the views before anybody has touched the account, and nothing is written for it.
#[tokio::test]
async fn a_hold_is_void_as_soon_as_its_opening_was_taken_over() {
    let here = Holding::new().await;
    here.hold(7).await;
    assert_eq!(here.states().await, [HoldState::Open]);
    here.successor(2).await;
    assert_eq!(here.states().await, [HoldState::Void]);
    assert_eq!(here.standing().await, (10, 0));
    let written: (i64, Option<String>) = sqlx::query_as(
        "select a.held, h.resolution from credit.account a join credit.hold h on h.account = a.id",
    )
    .fetch_one(here.world.pool())
    .await
    .unwrap();
    assert_eq!(written, (7, None));
    here.assert_sound().await;
}

#[tokio::test]
async fn a_charge_gives_void_holds_back_before_it_judges_credit() {
    let here = Holding::new().await;
    here.hold(7).await;
    let successor = here.successor(2).await;
    let charged = here
        .client
        .charge(&successor, &charge(&here.alice, 10))
        .await;
    assert_eq!(charged.balance_after, 0);
    here.assert_sound().await;
}

/// Parked: the holder has closed, so it was not overtaken, and the confirmation comes under a later opening.
#[tokio::test]
async fn what_was_held_under_an_opening_that_was_closed_is_captured_by_a_later_one() {
    let here = Holding::new().await;
    let parked = here.hold(7).await;
    here.client.close(&here.open).await;
    assert_eq!(here.states().await, [HoldState::Open]);
    assert_eq!(here.standing().await, (10, 7));

    let ledger = &here.client.ledger;
    let closed = ledger.capture(&here.open, &capture(&parked, 7)).await;
    assert_eq!(closed.must_refuse().reason(), Reason::Closed);
    here.successor(2).await;
    // That one is overtaken, and what it made would be void; what was parked before it is not.
    let third = here.successor(3).await;
    assert_eq!(here.states().await, [HoldState::Open]);
    here.client.capture(&third, &capture(&parked, 7)).await;
    assert_eq!(here.standing().await, (3, 0));
    here.assert_sound().await;
}

/// The opening that took over is what says so: neither a prune nor a fold may take it away before its time.
#[tokio::test]
async fn a_void_hold_stays_void_and_a_parked_one_open_when_openings_are_pruned_and_marks_folded() {
    let here = Holding::new().await;
    let dead = here.hold(3).await;
    let second = here.successor(2).await;
    // Of another account: a hold of alice's would give the dead one back.
    let other = here.world.account("bob", 10).await;
    let parked = hold(&other, 4);
    here.client.hold(&second, &parked).await;
    here.client.close(&second).await;
    for fence in 3..6 {
        let next = here.successor(fence).await;
        here.client.close(&next).await;
    }

    let retention = Retention::new(here.world.pool().clone());
    retention.prune_openings(Duration::ZERO).await.unwrap();
    assert_eq!(retention.fold(Duration::ZERO).await.unwrap(), 1);
    retention.prune_openings(Duration::ZERO).await.unwrap();
    assert_eq!(here.states().await, [HoldState::Void]);
    assert_eq!(here.world.hold_states(&other).await, [HoldState::Open]);
    here.assert_sound().await;

    let last = here.successor(6).await;
    let late = here.client.ledger.capture(&last, &capture(&dead, 3)).await;
    assert_eq!(ended(late), HoldState::Void);
    here.client.capture(&last, &capture(&parked, 4)).await;
    here.client.close(&last).await;

    // Nothing refers to them any more.
    retention.fold(Duration::ZERO).await.unwrap();
    retention.prune_openings(Duration::ZERO).await.unwrap();
    retention.prune_openings(Duration::ZERO).await.unwrap();
    assert!(here.world.openings("r").await.is_empty());
    here.assert_sound().await;
}

/// The capture has passed the guard, so the opening waits for it: it finds the charge, and no void hold.
#[tokio::test]
async fn an_opening_waits_out_the_capture_that_is_in_flight() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let successor = here.world.client().await;
    let guard = &here.client.guard;
    let mut tx = guard
        .begin(&here.open, "query", uuid::Uuid::nil(), HOLD)
        .await
        .unwrap();
    let all = capture(&held, 7);
    let captured = here.client.ledger.capture_within(&mut tx, &here.open, &all);
    captured.await.unwrap();
    let opening = successor.start_open(&permit("r", 2));
    here.world
        .until_blocked(successor.pid, here.client.pid)
        .await;
    tx.commit().await.unwrap();
    opening.done().await.unwrap();
    assert_eq!(here.states().await, [HoldState::Captured]);
    assert_eq!(here.standing().await, (3, 0));
    here.assert_sound().await;
}

/// Nor does an opening wait for accounts, however long somebody keeps one.
#[tokio::test]
async fn an_opening_touches_no_account() {
    let here = Holding::new().await;
    here.hold(7).await;
    let mut blocker = here.world.session().await;
    blocker.hold_account(&here.alice).await;
    here.successor(2).await;
    assert_eq!(here.states().await, [HoldState::Void]);
    blocker.run("rollback").await;
}
