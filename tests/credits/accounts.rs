//! Accounts: their floor, and their end.

use credit_ledger::{Error, HoldState};
use promises::{account, capture, charge, grant_of, hold, refund, release, stored_sqlstate};

use crate::setup::{Holding, ended};

#[tokio::test]
async fn an_account_is_opened_once_and_keeps_what_it_was_opened_with() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let line = account("line");
    assert!(ledger.open_account_with_floor(&line, -5).await.unwrap());
    assert!(!ledger.open_account(&line).await.unwrap());
    let standing = ledger.standing(&line).await.unwrap().unwrap();
    assert_eq!(
        (standing.balance, standing.held, standing.floor),
        (0, 0, -5)
    );
    assert_eq!(standing.available(), 5);
    assert_eq!((standing.frozen_at, standing.closed_at), (None, None));
    assert_eq!(ledger.standing(&account("nobody")).await.unwrap(), None);
    // The system's own are nobody's to look at.
    assert_eq!(ledger.standing(&account("issued")).await.unwrap(), None);
}

#[tokio::test]
async fn a_floor_is_moved_down_and_up_again_as_far_as_the_account_allows() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    assert!(ledger.set_floor(&here.alice, -5).await.unwrap());
    assert!(!ledger.set_floor(&here.alice, -5).await.unwrap());
    here.hold(12).await;
    let above = ledger.set_floor(&here.alice, -1).await;
    assert!(
        matches!(
            above,
            Err(Error::BelowFloor {
                balance: 10,
                held: 12
            })
        ),
        "{above:?}"
    );
    assert!(ledger.set_floor(&here.alice, -2).await.unwrap());
    let more = ledger.charge(&here.open, &charge(&here.alice, 1)).await;
    assert!(matches!(more, Err(Error::InsufficientCredit { .. })));
    let unknown = ledger.set_floor(&account("nobody"), 0).await;
    assert!(matches!(unknown, Err(Error::UnknownAccount)));
    match ledger.open_account_with_floor(&account("new"), 1).await {
        Err(error) => assert_eq!(stored_sqlstate(&error), "ZF004"),
        opened => panic!("{opened:?}"),
    }
    here.assert_sound().await;
}

#[tokio::test]
async fn an_account_is_closed_only_when_nothing_is_in_it_and_nothing_held() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let full = ledger.close_account(&here.alice).await;
    assert!(
        matches!(
            full,
            Err(Error::NotEmpty {
                balance: 10,
                held: 0
            })
        ),
        "{full:?}"
    );
    // A debt is not nothing, and neither is what a credit line holds.
    ledger.set_floor(&here.alice, -5).await.unwrap();
    here.client
        .charge(&here.open, &charge(&here.alice, 11))
        .await;
    let debt = ledger.close_account(&here.alice).await;
    assert!(matches!(debt, Err(Error::NotEmpty { balance: -1, .. })));
    let one = grant_of(credit_ledger::RequestId::random(), &here.alice, 1);
    ledger.grant(&one).await.unwrap();
    let held = here.hold(2).await;
    let reserved = ledger.close_account(&here.alice).await;
    assert!(matches!(
        reserved,
        Err(Error::NotEmpty {
            balance: 0,
            held: 2
        })
    ));
    ledger.release(&here.open, &release(&held)).await.unwrap();
    assert!(ledger.close_account(&here.alice).await.unwrap());
    assert!(!ledger.close_account(&here.alice).await.unwrap());
    here.assert_sound().await;
}

/// The charge was in flight when the account was to be closed: what the close judges is what its lock returned.
#[tokio::test]
async fn a_close_that_waited_for_a_grant_finds_its_credits() {
    let here = Holding::new().await;
    let empty = here.world.account("empty", 0).await;
    let mut granting = here.world.session().await;
    granting
        .run("begin; select credit.grant(gen_random_uuid(), 'empty', 1, '')")
        .await;
    let (ledger, name) = (here.client.ledger.clone(), empty.clone());
    let closing = promises::start(async move { ledger.close_account(&name).await });
    here.world
        .until_blocked(here.client.pid, granting.pid)
        .await;
    granting.run("commit").await;
    let outcome = closing.done().await;
    assert!(
        matches!(outcome, Err(Error::NotEmpty { balance: 1, .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn nothing_is_booked_on_an_account_that_is_closed_and_its_name_is_not_given_again() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let held = here.hold(3).await;
    let captured = capture(&held, 3);
    here.client.capture(&here.open, &captured).await;
    here.client
        .charge(&here.open, &charge(&here.alice, 7))
        .await;
    ledger.close_account(&here.alice).await.unwrap();
    let granted = grant_of(credit_ledger::RequestId::random(), &here.alice, 1);
    for (verb, outcome) in [
        ("grant", ledger.grant(&granted).await.map(|_| ())),
        (
            "charge",
            ledger
                .charge(&here.open, &charge(&here.alice, 1))
                .await
                .map(|_| ()),
        ),
        (
            "hold",
            ledger
                .hold(&here.open, &hold(&here.alice, 1))
                .await
                .map(|_| ()),
        ),
        (
            "refund",
            ledger
                .refund(&refund(captured.request, 1))
                .await
                .map(|_| ()),
        ),
        (
            "freeze",
            ledger.freeze_account(&here.alice).await.map(|_| ()),
        ),
        ("floor", ledger.set_floor(&here.alice, -1).await.map(|_| ())),
    ] {
        assert!(
            matches!(outcome, Err(Error::ClosedAccount)),
            "{verb}: {outcome:?}"
        );
    }
    // The webhook that comes behind the close hears that it is paid.
    for outcome in [
        ledger
            .capture(&here.open, &capture(&held, 3))
            .await
            .map(|_| ()),
        ledger
            .release(&here.open, &release(&held))
            .await
            .map(|_| ()),
    ] {
        assert_eq!(ended(outcome), HoldState::Captured);
    }
    assert!(!ledger.open_account(&here.alice).await.unwrap());
    let standing = ledger.standing(&here.alice).await.unwrap().unwrap();
    assert!(standing.closed_at.is_some());
    assert_eq!(standing.available(), 0);
    // What it had is told all the same, and what happened once is.
    let entries = ledger.entries(&here.alice, 0, 10).await.unwrap();
    assert_eq!(entries.len(), 3);
    assert!(here.client.capture(&here.open, &captured).await.replayed);
    assert_eq!(here.states().await, [HoldState::Captured]);
    here.assert_sound().await;
}

/// Behind the functions' back, too.
#[tokio::test]
async fn no_hand_closes_what_is_not_empty_or_resolves_a_hold_twice() {
    let here = Holding::new().await;
    let held = here.hold(3).await;
    let mut hand = here.world.session().await;
    for (statement, state) in [
        (
            "update credit.account set closed_at = now() where name = 'alice'",
            "23514",
        ),
        (
            "update credit.account set held = 11 where name = 'alice'",
            "23514",
        ),
        ("update credit.hold set amount = 1", "ZF005"),
        ("delete from credit.hold", "ZF005"),
        ("truncate credit.hold", "ZF005"),
    ] {
        let outcome = hand.attempt(statement).await;
        assert_eq!(promises::sqlstate(outcome), state, "{statement}");
    }
    here.client.capture(&here.open, &capture(&held, 3)).await;
    let again = "update credit.hold set resolution = 'released', captured = null";
    assert_eq!(promises::sqlstate(hand.attempt(again).await), "ZF005");
    here.assert_sound().await;
}
