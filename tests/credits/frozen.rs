//! A frozen account gives nothing away, and still gets: the owner's credits are to be kept, not kept from growing.

use credit_ledger::{Error, HoldState};
use promises::{account, capture, charge, grant_of, hold, refund, release};

use crate::setup::Holding;

#[tokio::test]
async fn nothing_is_taken_out_of_a_frozen_account_until_it_is_unfrozen() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let held = here.hold(3).await;
    assert!(ledger.freeze_account(&here.alice).await.unwrap());
    assert!(!ledger.freeze_account(&here.alice).await.unwrap());
    let standing = ledger.standing(&here.alice).await.unwrap().unwrap();
    assert!(standing.frozen_at.is_some());
    assert_eq!(standing.available(), 0);

    let (charged, taken) = (charge(&here.alice, 1), capture(&held, 3));
    for (verb, outcome) in [
        (
            "charge",
            ledger.charge(&here.open, &charged).await.map(|_| ()),
        ),
        (
            "charge_once",
            ledger
                .charge_once(here.open.permit(), &charge(&here.alice, 1), None)
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
            "capture",
            ledger.capture(&here.open, &taken).await.map(|_| ()),
        ),
    ] {
        assert!(
            matches!(outcome, Err(Error::FrozenAccount)),
            "{verb}: {outcome:?}"
        );
    }
    // A refusal of this kind is none of the guard's.
    assert!(here.world.refusals().await.is_empty());
    assert_eq!(here.states().await, [HoldState::Open]);

    assert!(ledger.unfreeze_account(&here.alice).await.unwrap());
    assert!(!ledger.unfreeze_account(&here.alice).await.unwrap());
    assert!(!here.client.charge(&here.open, &charged).await.replayed);
    assert!(!here.client.capture(&here.open, &taken).await.replayed);
    here.assert_sound().await;
}

#[tokio::test]
async fn a_frozen_account_gets_grants_refunds_and_releases() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let (held, charged) = (here.hold(3).await, charge(&here.alice, 2));
    here.client.charge(&here.open, &charged).await;
    ledger.freeze_account(&here.alice).await.unwrap();
    let granted = grant_of(credit_ledger::RequestId::random(), &here.alice, 5);
    ledger.grant(&granted).await.unwrap();
    ledger.refund(&refund(charged.request, 2)).await.unwrap();
    ledger.release(&here.open, &release(&held)).await.unwrap();
    assert_eq!(here.standing().await, (15, 0));
    here.assert_sound().await;
}

/// When the freeze has returned, the charge that was in flight is over, and nothing follows it.
#[tokio::test]
async fn a_freeze_waits_for_the_charge_in_flight_and_a_later_one_finds_it() {
    let here = Holding::new().await;
    let other = here.world.client().await;
    let mut tx = here.client.begin(&here.open).await;
    let one = charge(&here.alice, 1);
    let ledger = &here.client.ledger;
    ledger
        .charge_within(&mut tx, &here.open, &one)
        .await
        .unwrap();
    let (freezer, alice) = (other.ledger.clone(), here.alice.clone());
    let freezing = promises::start(async move { freezer.freeze_account(&alice).await });
    here.world.until_blocked(other.pid, here.client.pid).await;
    let late = here.world.client().await;
    let charging = late.start_charge(&here.open, &charge(&here.alice, 1));
    let ahead = [here.client.pid, other.pid];
    assert!(here.world.blocked_or(late.pid, &ahead, || false).await);
    tx.commit().await.unwrap();
    assert!(freezing.done().await.unwrap());
    let refused = charging.done().await;
    assert!(matches!(refused, Err(Error::FrozenAccount)), "{refused:?}");
    assert_eq!(here.standing().await, (9, 0));
}

#[tokio::test]
async fn an_account_that_is_not_there_is_neither_frozen_nor_closed() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    for name in ["nobody", "issued"] {
        let name = account(name);
        for outcome in [
            ledger.freeze_account(&name).await,
            ledger.unfreeze_account(&name).await,
            ledger.close_account(&name).await,
        ] {
            assert!(matches!(outcome, Err(Error::UnknownAccount)), "{outcome:?}");
        }
    }
}
