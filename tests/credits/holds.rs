//! A hold from one end to the other, with nobody in the way: what it sets aside, what a capture takes of it, and what
//! is free again.

use credit_ledger::{Error, HoldState};
use promises::{capture, charge, hold, permit, release};

use crate::setup::{Holding, ended};

#[tokio::test]
async fn a_hold_sets_credits_aside_and_writes_no_entry() {
    let here = Holding::new().await;
    here.hold(7).await;
    assert_eq!(here.standing().await, (10, 7));
    assert_eq!(here.states().await, [HoldState::Open]);
    let entries = here.client.ledger.entries(&here.alice, 0, 10).await;
    assert_eq!(entries.unwrap().len(), 1, "the grant alone");

    let more = here
        .client
        .ledger
        .charge(&here.open, &charge(&here.alice, 4))
        .await;
    assert!(
        matches!(
            more,
            Err(Error::InsufficientCredit {
                balance: 10,
                held: 7
            })
        ),
        "{more:?}"
    );
    let more = here
        .client
        .ledger
        .hold(&here.open, &hold(&here.alice, 4))
        .await;
    assert!(matches!(
        more,
        Err(Error::InsufficientCredit {
            balance: 10,
            held: 7
        })
    ));
    here.client
        .charge(&here.open, &charge(&here.alice, 3))
        .await;
    assert_eq!(here.standing().await, (7, 7));
    here.assert_sound().await;
}

#[tokio::test]
async fn a_full_capture_is_one_charge_that_names_its_hold() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let applied = here.client.capture(&here.open, &capture(&held, 7)).await;
    assert_eq!(applied.balance_after, 3);
    assert_eq!(here.standing().await, (3, 0));
    assert_eq!(here.states().await, [HoldState::Captured]);
    let charges = here.world.charges(&here.alice).await;
    assert_eq!(charges.len(), 1);
    assert_eq!(charges[0].hold, Some(held.request.as_uuid()));
    assert_eq!(
        (charges[0].change, charges[0].purpose.as_str()),
        (-7, "query")
    );
    here.assert_sound().await;
}

#[tokio::test]
async fn a_partial_capture_frees_the_rest_and_there_is_no_second_one() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    here.client.capture(&here.open, &capture(&held, 2)).await;
    assert_eq!(here.standing().await, (8, 0));
    let again = here
        .client
        .ledger
        .capture(&here.open, &capture(&held, 1))
        .await;
    assert_eq!(ended(again), HoldState::Captured);
    assert_eq!(here.standing().await, (8, 0));
    here.assert_sound().await;
}

#[tokio::test]
async fn more_than_is_held_is_not_captured_also_where_the_account_has_it() {
    let here = Holding::new().await;
    let held = here.hold(2).await;
    let over = capture(&held, 3);
    let refused = here.client.ledger.capture(&here.open, &over).await;
    assert!(matches!(refused, Err(Error::ExceedsHold { held: 2 })));
    assert_eq!(here.standing().await, (10, 2));
    // The hold is there, and the request id is not used up.
    let less = credit_ledger::Capture {
        request: over.request,
        ..capture(&held, 2)
    };
    assert!(!here.client.capture(&here.open, &less).await.replayed);
    here.assert_sound().await;
}

/// A capture does not ask for credit again: what was held is there, to the floor.
#[tokio::test]
async fn what_is_held_is_captured_with_nothing_else_in_the_account() {
    let here = Holding::new().await;
    let all = here.hold(10).await;
    here.client.capture(&here.open, &capture(&all, 10)).await;
    assert_eq!(here.standing().await, (0, 0));
    here.assert_sound().await;
}

#[tokio::test]
async fn a_release_frees_all_of_it_and_charges_nothing() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let released = release(&held);
    let first = here.client.ledger.release(&here.open, &released).await;
    assert!(!first.unwrap().replayed);
    assert_eq!(here.standing().await, (10, 0));
    assert_eq!(here.states().await, [HoldState::Released]);
    for outcome in [
        here.client
            .ledger
            .capture(&here.open, &capture(&held, 7))
            .await
            .map(|_| ()),
        here.client
            .ledger
            .release(&here.open, &release(&held))
            .await
            .map(|_| ()),
    ] {
        assert_eq!(ended(outcome), HoldState::Released);
    }
    assert!(here.world.charges(&here.alice).await.is_empty());
    here.assert_sound().await;
}

/// Else two resources would decide about one thing.
#[tokio::test]
async fn a_hold_is_resolved_under_its_own_resource_only() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let elsewhere = here.client.open(&permit("s", 1)).await;
    let captured = here
        .client
        .ledger
        .capture(&elsewhere, &capture(&held, 7))
        .await;
    assert!(matches!(captured, Err(Error::OtherResource)));
    let released = here
        .client
        .ledger
        .release(&elsewhere, &release(&held))
        .await;
    assert!(matches!(released, Err(Error::OtherResource)));
    let unknown = hold(&here.alice, 1);
    let captured = here
        .client
        .ledger
        .capture(&here.open, &capture(&unknown, 1))
        .await;
    assert!(matches!(captured, Err(Error::UnknownHold)));
    assert_eq!(here.states().await, [HoldState::Open]);
}

/// A capture counts as a charge to whoever asks whether it is paid for.
#[tokio::test]
async fn what_was_captured_was_charged_and_what_is_held_was_not() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let charged = async || {
        let ledger = &here.client.ledger;
        let since = time::OffsetDateTime::UNIX_EPOCH;
        let charged = ledger.charged(&here.alice, &held.purpose, since).await;
        charged.unwrap()
    };
    assert_eq!(charged().await, 0);
    here.client.capture(&here.open, &capture(&held, 5)).await;
    assert_eq!(charged().await, 5);
}

/// What is written beside it commits, or does not, with it.
#[tokio::test]
async fn holds_are_made_captured_and_released_within_an_admitted_transaction() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let (kept, freed, lost) = (
        hold(&here.alice, 3),
        hold(&here.alice, 2),
        hold(&here.alice, 1),
    );
    let mut tx = here.client.begin(&here.open).await;
    for one in [&kept, &freed] {
        ledger.hold_within(&mut tx, &here.open, one).await.unwrap();
    }
    let (capture, release) = (capture(&kept, 3), release(&freed));
    let captured = ledger.capture_within(&mut tx, &here.open, &capture);
    captured.await.unwrap();
    let released = ledger.release_within(&mut tx, &here.open, &release);
    released.await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(here.standing().await, (7, 0));

    let mut tx = here.client.begin(&here.open).await;
    ledger
        .hold_within(&mut tx, &here.open, &lost)
        .await
        .unwrap();
    tx.rollback().await.unwrap();
    assert_eq!(
        here.states().await,
        [HoldState::Captured, HoldState::Released]
    );
    assert_eq!(here.standing().await, (7, 0));
    here.assert_sound().await;
}

/// A credit line can be held, to its very end.
#[tokio::test]
async fn what_is_held_may_reach_the_floor_and_no_further() {
    let here = Holding::new().await;
    let line = promises::account("line");
    let ledger = &here.client.ledger;
    ledger
        .open_account_with_floor(&line, i64::MIN)
        .await
        .unwrap();
    let most = hold(&line, i64::MAX);
    here.client.hold(&here.open, &most).await;
    // One more credit is below the floor's distance, and yet more than can be counted as held.
    let one = ledger.hold(&here.open, &hold(&line, 1)).await;
    assert!(
        matches!(one, Err(Error::InsufficientCredit { balance: 0, .. })),
        "{one:?}"
    );
    here.client
        .capture(&here.open, &capture(&most, i64::MAX))
        .await;
    assert_eq!(here.world.balance(&line).await, -i64::MAX);
    here.client.hold(&here.open, &hold(&line, 1)).await;
    let more = ledger.hold(&here.open, &hold(&line, 1)).await;
    assert!(matches!(more, Err(Error::InsufficientCredit { .. })));
    here.assert_sound().await;
}
