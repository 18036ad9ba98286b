//! S6 for holds: one request id is one thing, over all verbs and all accounts; a replay returns the first outcome, also
//! to a holder that has gone stale.

use std::time::Duration;

use credit_ledger::{
    Account, Capture, Credits, Error, Grant, Hold, HoldState, Purpose, Refund, Release, RequestId,
};
use promises::{capture, charge, charge_of, grant_of, hold, permit, refund, release};

use crate::setup::Holding;

/// What differs from the first call of the request id.
pub(crate) fn field<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
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

/// What each verb sends, of bob's, under an id that is not its own.
async fn send(
    here: &Holding,
    verb: &str,
    request: RequestId,
    bob: &Account,
    spare: &Hold,
    of: RequestId,
) -> Result<(), Error> {
    let (ledger, open) = (&here.client.ledger, &here.open);
    let charge = charge_of(request, bob, 1);
    match verb {
        "grant" => ledger.grant(&grant_of(request, bob, 5)).await.map(|_| ()),
        "charge" => ledger.charge(open, &charge).await.map(|_| ()),
        "charge_once" => {
            let outcome = ledger.charge_once(open.permit(), &charge, None).await;
            outcome.map(|_| ())
        }
        "hold" => {
            let one = Hold {
                request,
                ..hold(bob, 1)
            };
            ledger.hold(open, &one).await.map(|_| ())
        }
        "capture" => {
            let one = Capture {
                request,
                ..capture(spare, 1)
            };
            ledger.capture(open, &one).await.map(|_| ())
        }
        "release" => {
            let one = Release {
                request,
                ..release(spare)
            };
            ledger.release(open, &one).await.map(|_| ())
        }
        "refund" => {
            let one = Refund {
                request,
                ..refund(of, 1)
            };
            ledger.refund(&one).await.map(|_| ())
        }
        other => panic!("{other} is no verb"),
    }
}

const VERBS: [&str; 7] = [
    "grant",
    "charge",
    "charge_once",
    "hold",
    "capture",
    "release",
    "refund",
];

/// Every verb with an id that every other verb has used: each says "operation", on whichever account.
#[tokio::test]
async fn a_request_id_of_one_verb_is_none_of_any_other() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let bob = here.world.account("bob", 10).await;
    let (kept, freed, spare) = (here.hold(2).await, here.hold(2).await, here.hold(1).await);
    let granted = grant_of(RequestId::random(), &here.alice, 5);
    let charged = charge(&here.alice, 1);
    let (captured, released) = (capture(&kept, 2), release(&freed));
    ledger.grant(&granted).await.unwrap();
    here.client.charge(&here.open, &charged).await;
    here.client.capture(&here.open, &captured).await;
    ledger.release(&here.open, &released).await.unwrap();
    let refunded = refund(charged.request, 1);
    ledger.refund(&refunded).await.unwrap();

    let before = here.standing().await;
    for (by, request) in [
        ("grant", granted.request),
        ("charge", charged.request),
        ("hold", kept.request),
        ("capture", captured.request),
        ("release", released.request),
        ("refund", refunded.request),
    ] {
        for verb in VERBS {
            if by == verb || by == "charge" && verb == "charge_once" {
                continue;
            }
            // Nothing may refund itself.
            let of = match by {
                "capture" => charged.request,
                _ => captured.request,
            };
            let outcome = send(&here, verb, request, &bob, &spare, of).await;
            assert_eq!(field(outcome), "operation", "{verb} with the id of a {by}");
        }
    }
    assert_eq!(here.standing().await, before);
    assert_eq!(here.world.balance(&bob).await, 10);
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
