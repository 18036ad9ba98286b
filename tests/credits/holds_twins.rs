//! S6 for holds, at once: of two calls with one request id the second waits, and is answered by what the first has come to.

use credit_ledger::{Capture, Credits};
use promises::{capture, charge_of, hold, release};

use crate::holds_requests::field;
use crate::setup::Holding;

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
