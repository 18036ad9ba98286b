//! Why a hold, a capture or a release is not done: in the order that is documented, and, where the guard refuses it, as a
//! row.

use credit_ledger::Error;
use fence_guard::Reason;
use promises::{MustRefuse, account, capture, charge, hold, permit, release};

use crate::setup::Holding;

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
