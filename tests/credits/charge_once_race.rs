//! Two riding calls at once. Each looks whether it was paid for; what keeps both from reading "no" is that the resource
//! is taken exclusively before the look, also by a permit that is open already.

use credit_ledger::Once;
use fence_guard::Reason;
use promises::{MustRefuse, charge, permit, start};

use crate::charge_once::charged;
use crate::line::Line;
use crate::setup::Riding;

/// The first has passed the guard and waits for the account. The second, under the same open permit, must not have
/// looked by then: without the exclusive lock both read "not charged".
#[tokio::test]
async fn of_two_calls_under_one_open_permit_one_charges() {
    let here = Riding::new().await;
    let (first, second) = (here.world.client().await, here.world.client().await);
    let open = here.client.open(&permit("r", 1)).await;
    let mut line = Line::before(&here.world, &here.alice).await;
    let charging = first.start_charge_once(open.permit(), &charge(&here.alice, 3));
    line.joined_by(&first).await;
    let riding = second.start_charge_once(open.permit(), &charge(&here.alice, 3));
    line.joined_by(&second).await;
    line.let_go().await;

    charged(charging.done().await);
    let told = riding.done().await;
    assert!(matches!(told, Ok(Once::AlreadyCharged { .. })), "{told:?}");
    assert_eq!(here.world.balance(&here.alice).await, 7);
    here.assert_sound().await;
}

/// A charge that was let in under the opening, and has not committed, is waited out as well.
#[tokio::test]
async fn it_waits_out_the_charge_in_flight_under_its_own_permit() {
    let here = Riding::new().await;
    let rider = here.world.client().await;
    let open = here.client.open(&permit("r", 1)).await;
    let mut tx = here.client.begin(&open).await;
    let one = charge(&here.alice, 3);
    let first = here.client.ledger.charge_within(&mut tx, &open, &one);
    first.await.unwrap();
    let riding = rider.start_charge_once(open.permit(), &charge(&here.alice, 3));
    here.world.until_blocked(rider.pid, here.client.pid).await;
    tx.commit().await.unwrap();
    let told = riding.done().await;
    assert!(matches!(told, Ok(Once::AlreadyCharged { .. })), "{told:?}");
    here.assert_sound().await;
}

/// It was open when it was looked at, and is not when the lock comes.
#[tokio::test]
async fn a_permit_that_is_overtaken_or_closed_while_it_waits_for_the_resource_is_refused() {
    for is_closed in [false, true] {
        let here = Riding::new().await;
        let (rider, other) = (here.world.client().await, here.world.client().await);
        let open = here.client.open(&permit("r", 1)).await;
        let tx = here.client.begin(&open).await;
        // Waits for the transaction; the rider waits behind it.
        let ending = if is_closed {
            let closing = other.start_close(&open);
            start(async move { drop(closing.done().await) })
        } else {
            let opening = other.start_open(&permit("r", 2));
            start(async move { drop(opening.done().await) })
        };
        here.world.until_blocked(other.pid, here.client.pid).await;
        let riding = rider.start_charge_once(open.permit(), &charge(&here.alice, 3));
        here.world.until_blocked(rider.pid, other.pid).await;
        tx.commit().await.unwrap();
        ending.done().await;
        let refused = riding.done().await.must_refuse();
        let expected = if is_closed {
            Reason::Closed
        } else {
            Reason::Stale
        };
        assert_eq!(refused.reason(), expected);
        assert_eq!(here.world.balance(&here.alice).await, 10);
        here.assert_sound().await;
    }
}

/// Twins: one request under two permits. The second waits for the resource, and hears what the first came to.
#[tokio::test]
async fn the_loser_of_two_twins_hears_that_the_winner_has_charged() {
    let here = Riding::new().await;
    let (first, second) = (here.world.client().await, here.world.client().await);
    let job = charge(&here.alice, 3);
    let mut line = Line::before(&here.world, &here.alice).await;
    let charging = first.start_charge_once(&permit("r", 1), &job);
    line.joined_by(&first).await;
    let twin = second.start_charge_once(&permit("r", 2), &job);
    line.joined_by(&second).await;
    line.let_go().await;
    let applied = charged(charging.done().await);
    let replayed = charged(twin.done().await);
    assert!(replayed.replayed);
    assert_eq!(replayed.seq, applied.seq);
    here.assert_sound().await;
}

/// Many clients, each with a permit and a request of its own, in no order at all.
#[tokio::test]
async fn of_many_callers_at_once_exactly_one_charges() {
    let here = Riding::new().await;
    let mut calls = Vec::new();
    for fence in 1..=8 {
        let client = here.world.client().await;
        let job = charge(&here.alice, 3);
        calls.push(start(async move {
            let rider = permit("r", fence);
            client.ledger.charge_once(&rider, &job, None).await
        }));
    }
    let mut made = 0;
    for call in calls {
        match call.done().await {
            Ok(Once::Charged(applied)) => {
                assert!(!applied.replayed);
                made += 1;
            }
            Ok(_) => {}
            // Whoever was passed by a higher number was late.
            refused => assert_eq!(refused.must_refuse().reason(), Reason::Stale),
        }
    }
    assert_eq!(made, 1);
    assert_eq!(here.world.balance(&here.alice).await, 7);
    here.assert_sound().await;
}
