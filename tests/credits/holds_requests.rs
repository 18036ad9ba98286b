//! S6 for holds: one request id is one thing, over all verbs and all accounts; a replay returns the first outcome, also
//! to a holder that has gone stale; and what has happened comes before why it may not happen.

use std::time::Duration;

use credit_ledger::{Capture, Credits, Error, Grant, Hold, HoldState, Purpose, Refund, Release};
use fence_guard::Reason;
use promises::{
    MustRefuse, account, capture, charge, charge_of, grant_of, hold, permit, refund, release,
};

use crate::setup::Holding;

fn field<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::Mismatch { field }) => field,
        other => panic!("it had to be a mismatch, this is {other:?}"),
    }
}

#[tokio::test]
async fn a_hold_a_capture_and_a_release_that_are_sent_again_return_their_first_outcome() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let (kept, freed) = (hold(&here.alice, 3), hold(&here.alice, 2));
    let first = ledger.hold(&here.open, &kept).await.unwrap();
    ledger.hold(&here.open, &freed).await.unwrap();
    let (captured, released) = (capture(&kept, 2), release(&freed));
    let capture_once = ledger.capture(&here.open, &captured).await.unwrap();
    let release_once = ledger.release(&here.open, &released).await.unwrap();

    // Its holder has been overtaken meanwhile, and the account frozen.
    here.client.open(&permit("r", 2)).await;
    ledger.freeze_account(&here.alice).await.unwrap();
    let again = ledger.hold(&here.open, &kept).await.unwrap();
    assert!(again.replayed && !first.replayed);
    assert_eq!(
        (again.seq, again.at, again.expires_at),
        (first.seq, first.at, first.expires_at)
    );
    let again = ledger.capture(&here.open, &captured).await.unwrap();
    assert!(again.replayed);
    assert_eq!(
        (again.seq, again.at, again.balance_after),
        (
            capture_once.seq,
            capture_once.at,
            capture_once.balance_after
        )
    );
    let again = ledger.release(&here.open, &released).await.unwrap();
    assert!(again.replayed);
    assert_eq!((again.seq, again.at), (release_once.seq, release_once.at));
    assert!(here.world.refusals().await.is_empty());
    assert_eq!(here.standing().await, (8, 0));
}

#[tokio::test]
async fn a_hold_that_is_sent_again_as_something_else_names_what_differs() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let elsewhere = here.client.open(&permit("elsewhere", 1)).await;
    let bob = here.world.account("bob", 10).await;
    let first = here.hold(3).await;
    for (other, open, expected) in [
        (
            Hold {
                account: bob.clone(),
                ..first.clone()
            },
            &here.open,
            "account",
        ),
        (
            Hold {
                amount: Credits::new(4).unwrap(),
                ..first.clone()
            },
            &here.open,
            "amount",
        ),
        (
            Hold {
                purpose: Purpose::new("another").unwrap(),
                ..first.clone()
            },
            &here.open,
            "purpose",
        ),
        (first.clone(), &elsewhere, "resource"),
        (
            Hold {
                expires_in: first.expires_in + Duration::from_micros(1),
                ..first.clone()
            },
            &here.open,
            "expires_in",
        ),
    ] {
        assert_eq!(field(ledger.hold(open, &other).await), expected);
    }
    assert_eq!(here.standing().await, (10, 3));
}

#[tokio::test]
async fn a_capture_and_a_release_that_are_sent_again_as_something_else_name_what_differs() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let elsewhere = here.client.open(&permit("elsewhere", 1)).await;
    let (kept, freed, other) = (here.hold(3).await, here.hold(2).await, here.hold(1).await);
    let (captured, released) = (capture(&kept, 2), release(&freed));
    here.client.capture(&here.open, &captured).await;
    ledger.release(&here.open, &released).await.unwrap();
    for (again, open, expected) in [
        (
            Capture {
                hold: other.request,
                ..captured
            },
            &here.open,
            "hold",
        ),
        (
            Capture {
                amount: Credits::new(1).unwrap(),
                ..captured
            },
            &here.open,
            "amount",
        ),
        (captured, &elsewhere, "resource"),
    ] {
        assert_eq!(field(ledger.capture(open, &again).await), expected);
    }
    let again = Release {
        hold: other.request,
        ..released
    };
    assert_eq!(field(ledger.release(&here.open, &again).await), "hold");
    assert_eq!(
        field(ledger.release(&elsewhere, &released).await),
        "resource"
    );
    assert_eq!(
        here.states().await,
        [HoldState::Captured, HoldState::Released, HoldState::Open]
    );
}

/// Every verb with an id that every other verb has used: each says "operation", on whichever account.
#[tokio::test]
async fn a_request_id_of_one_verb_is_none_of_any_other() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let bob = here.world.account("bob", 10).await;
    let (kept, freed, spare) = (here.hold(2).await, here.hold(2).await, here.hold(1).await);
    let granted = grant_of(credit_ledger::RequestId::random(), &here.alice, 5);
    let charged = charge(&here.alice, 1);
    let (captured, released) = (capture(&kept, 2), release(&freed));
    ledger.grant(&granted).await.unwrap();
    here.client.charge(&here.open, &charged).await;
    here.client.capture(&here.open, &captured).await;
    ledger.release(&here.open, &released).await.unwrap();
    let refunded = refund(charged.request, 1);
    ledger.refund(&refunded).await.unwrap();

    let before = here.standing().await;
    let used = [
        ("grant", granted.request),
        ("charge", charged.request),
        ("hold", kept.request),
        ("capture", captured.request),
        ("release", released.request),
        ("refund", refunded.request),
    ];
    for (by, request) in used {
        for verb in [
            "grant",
            "charge",
            "charge_once",
            "hold",
            "capture",
            "release",
            "refund",
        ] {
            if by == verb || by == "charge" && verb == "charge_once" {
                continue;
            }
            let outcome = match verb {
                "grant" => ledger.grant(&grant_of(request, &bob, 5)).await.map(|_| ()),
                "charge" => ledger
                    .charge(&here.open, &charge_of(request, &bob, 1))
                    .await
                    .map(|_| ()),
                "charge_once" => ledger
                    .charge_once(here.open.permit(), &charge_of(request, &bob, 1), None)
                    .await
                    .map(|_| ()),
                "hold" => {
                    let one = Hold {
                        request,
                        ..hold(&bob, 1)
                    };
                    ledger.hold(&here.open, &one).await.map(|_| ())
                }
                "capture" => {
                    let one = Capture {
                        request,
                        ..capture(&spare, 1)
                    };
                    ledger.capture(&here.open, &one).await.map(|_| ())
                }
                "release" => {
                    let one = Release {
                        request,
                        ..release(&spare)
                    };
                    ledger.release(&here.open, &one).await.map(|_| ())
                }
                _ => {
                    // Of the capture: nothing may refund itself.
                    let of = if by == "capture" {
                        charged.request
                    } else {
                        captured.request
                    };
                    let one = Refund {
                        request,
                        ..refund(of, 1)
                    };
                    ledger.refund(&one).await.map(|_| ())
                }
            };
            assert_eq!(field(outcome), "operation", "{verb} with the id of a {by}");
        }
    }
    assert_eq!(here.standing().await, before);
    assert_eq!(here.world.balance(&bob).await, 10);
    here.assert_sound().await;
}

/// The same at once, on two accounts, so that neither's lock orders them: the hold is made and not committed when a
/// charge, with its id, has looked and found nothing.
#[tokio::test]
async fn a_charge_with_the_id_of_a_hold_in_flight_hears_of_it_on_another_account_too() {
    let here = Holding::new().await;
    let bob = here.world.account("bob", 10).await;
    let twin = here.world.client().await;
    for hold_is_first in [true, false] {
        let held = hold(&here.alice, 1);
        let charged = charge_of(held.request, &bob, 1);
        let ledger = &here.client.ledger;
        let mut tx = here.client.begin(&here.open).await;
        let second = if hold_is_first {
            let first = ledger.hold_within(&mut tx, &here.open, &held);
            first.await.unwrap();
            let charging = twin.start_charge(&here.open, &charged);
            promises::start(async move { charging.done().await.map(|_| ()) })
        } else {
            let first = ledger.charge_within(&mut tx, &here.open, &charged);
            first.await.unwrap();
            let holding = twin.start_hold(&here.open, &held);
            promises::start(async move { holding.done().await.map(|_| ()) })
        };
        here.world.until_blocked(twin.pid, here.client.pid).await;
        tx.commit().await.unwrap();
        assert_eq!(field(second.done().await), "operation");
    }
    assert_eq!(here.standing().await, (10, 1));
    assert_eq!(here.world.balance(&bob).await, 9);
    here.assert_sound().await;
}

/// A twin commits while the other one waits for the account: its outcome comes before "ended" and "no credit".
#[tokio::test]
async fn the_loser_of_two_twins_gets_the_outcome_of_the_winner() {
    let here = Holding::new().await;
    let twin = here.world.client().await;
    let ledger = &here.client.ledger;
    let all = hold(&here.alice, 10);

    let mut tx = here.client.begin(&here.open).await;
    let first = ledger.hold_within(&mut tx, &here.open, &all).await.unwrap();
    let second = twin.start_hold(&here.open, &all);
    here.world.until_blocked(twin.pid, here.client.pid).await;
    tx.commit().await.unwrap();
    let second = second.done().await.unwrap();
    assert!(second.replayed);
    assert_eq!(
        (second.seq, second.expires_at),
        (first.seq, first.expires_at)
    );

    let part = capture(&all, 4);
    let mut tx = here.client.begin(&here.open).await;
    let first = ledger.capture_within(&mut tx, &here.open, &part);
    let first = first.await.unwrap();
    let second = twin.start_capture(&here.open, &part);
    here.world.until_blocked(twin.pid, here.client.pid).await;
    tx.commit().await.unwrap();
    let second = second.done().await.unwrap();
    assert!(second.replayed);
    assert_eq!((second.seq, second.balance_after), (first.seq, 6));

    let spare = here.hold(6).await;
    let free = release(&spare);
    let mut tx = here.client.begin(&here.open).await;
    let first = ledger.release_within(&mut tx, &here.open, &free);
    let first = first.await.unwrap();
    let second = twin.start_release(&here.open, &free);
    here.world.until_blocked(twin.pid, here.client.pid).await;
    tx.commit().await.unwrap();
    let second = second.done().await.unwrap();
    assert!(second.replayed);
    assert_eq!(second.seq, first.seq);
    assert!(here.world.refusals().await.is_empty());
    here.assert_sound().await;
}

/// C44 during the wait: the winner was for another amount.
#[tokio::test]
async fn a_twin_that_asks_for_something_else_hears_what_differs_after_its_wait() {
    let here = Holding::new().await;
    let twin = here.world.client().await;
    let held = here.hold(7).await;
    let one = capture(&held, 7);
    let other = Capture {
        amount: Credits::new(6).unwrap(),
        ..one
    };
    let mut tx = here.client.begin(&here.open).await;
    let first = here.client.ledger.capture_within(&mut tx, &here.open, &one);
    first.await.unwrap();
    let second = twin.start_capture(&here.open, &other);
    here.world.until_blocked(twin.pid, here.client.pid).await;
    tx.commit().await.unwrap();
    assert_eq!(field(second.done().await), "amount");
}

/// guard → a hold that has ended → account → hold → credit: each step is asked with everything after it wrong, too.
#[tokio::test]
async fn outcomes_come_in_the_order_that_is_documented() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let stale = here.client.open(&permit("s", 1)).await;
    here.client.open(&permit("s", 2)).await;
    let nobody = account("nobody");
    let refused = ledger.hold(&stale, &hold(&nobody, 99)).await;
    assert_eq!(refused.must_refuse().reason(), Reason::Stale);
    let unknown = ledger.hold(&here.open, &hold(&nobody, 99)).await;
    assert!(matches!(unknown, Err(Error::UnknownAccount)));

    let held = here.hold(7).await;
    ledger.freeze_account(&here.alice).await.unwrap();
    let frozen = ledger.hold(&here.open, &hold(&here.alice, 99)).await;
    assert!(matches!(frozen, Err(Error::FrozenAccount)));
    // Frozen comes before what is wrong with the hold: it is of another resource, and too small.
    let elsewhere = here.client.open(&permit("t", 1)).await;
    let frozen = ledger.capture(&elsewhere, &capture(&held, 99)).await;
    assert!(matches!(frozen, Err(Error::FrozenAccount)));
    ledger.unfreeze_account(&here.alice).await.unwrap();
    let other = ledger.capture(&elsewhere, &capture(&held, 99)).await;
    assert!(matches!(other, Err(Error::OtherResource)));
    ledger.release(&here.open, &release(&held)).await.unwrap();
    // How it ended comes before the account, and before what else is wrong with it.
    ledger.freeze_account(&here.alice).await.unwrap();
    let ended = ledger.capture(&elsewhere, &capture(&held, 99)).await;
    assert!(matches!(ended, Err(Error::HoldEnded { .. })));
}

/// A refused hold, capture or release is a row that says what it would have done; its request id is not used up.
#[tokio::test]
async fn refused_holds_captures_and_releases_are_rows_and_may_be_sent_again() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let parked = here.hold(3).await;
    here.client.close(&here.open).await;
    let (late, part, free) = (hold(&here.alice, 2), capture(&parked, 1), release(&parked));
    ledger.hold(&here.open, &late).await.must_refuse();
    ledger.capture(&here.open, &part).await.must_refuse();
    ledger.release(&here.open, &free).await.must_refuse();
    ledger
        .charge_once(here.open.permit(), &charge(&here.alice, 5), None)
        .await
        .must_refuse();
    let rows = ledger.refusals(&here.alice, None, 0, 10).await.unwrap();
    let told: Vec<(&str, i64, Option<&str>)> = rows
        .iter()
        .map(|row| (row.operation.as_str(), row.amount, row.hold.as_deref()))
        .collect();
    let name = parked.request.to_string();
    assert_eq!(
        told,
        [
            ("hold", 2, None),
            ("capture", 1, Some(name.as_str())),
            ("release", 3, Some(name.as_str())),
            ("charge_once", 5, None)
        ]
    );
    let next = here.client.open(&permit("r", 2)).await;
    assert!(!ledger.hold(&next, &late).await.unwrap().replayed);
    assert!(!ledger.capture(&next, &part).await.unwrap().replayed);
    here.assert_sound().await;
}

/// A grant that is misread as something else would be worse than an error.
#[tokio::test]
async fn a_request_cannot_go_back_to_itself() {
    let here = Holding::new().await;
    let held = here.hold(3).await;
    let itself = Capture {
        request: held.request,
        ..capture(&held, 3)
    };
    match here.client.ledger.capture(&here.open, &itself).await {
        Err(Error::Store(error)) => assert_eq!(promises::stored_sqlstate(&error), "ZF004"),
        other => panic!("{other:?}"),
    }
    let granted: Grant = grant_of(held.request, &here.alice, 3);
    assert_eq!(field(here.client.ledger.grant(&granted).await), "operation");
}
