//! Refunds: as often as asked for, never more in all than was charged, also by many at once.

use credit_ledger::{Credits, Error, Refund, RequestId};
use promises::{capture, charge, charge_of, grant_of, refund, stored_sqlstate};

use crate::line::{Line, clients};
use crate::setup::Holding;

impl Holding {
    /// A charge that was made.
    async fn charged(&self, amount: i64) -> RequestId {
        let charge = charge(&self.alice, amount);
        self.client.charge(&self.open, &charge).await;
        charge.request
    }
}

#[tokio::test]
async fn a_charge_is_refunded_in_parts_and_not_beyond_its_end() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let charged = here.charged(7).await;
    assert_eq!(
        ledger
            .refund(&refund(charged, 2))
            .await
            .unwrap()
            .balance_after,
        5
    );
    let over = ledger.refund(&refund(charged, 6)).await;
    assert!(
        matches!(over, Err(Error::ExceedsCharge { left: 5 })),
        "{over:?}"
    );
    assert_eq!(
        ledger
            .refund(&refund(charged, 5))
            .await
            .unwrap()
            .balance_after,
        10
    );
    let over = ledger.refund(&refund(charged, 1)).await;
    assert!(matches!(over, Err(Error::ExceedsCharge { left: 0 })));
    here.assert_sound().await;
}

/// Its credits come back from where the charge took them, and the entry says which charge it was.
#[tokio::test]
async fn a_refund_is_an_entry_that_names_its_charge_and_takes_the_credits_back() {
    let here = Holding::new().await;
    let charged = here.charged(7).await;
    here.client
        .ledger
        .refund(&refund(charged, 7))
        .await
        .unwrap();
    let entries = here
        .client
        .ledger
        .entries(&here.alice, 0, 10)
        .await
        .unwrap();
    let last = entries.last().unwrap();
    assert_eq!((last.operation.as_str(), last.change), ("refund", 7));
    assert_eq!(last.refund_of, Some(charged.as_uuid()));
    assert_eq!((last.purpose.as_str(), &last.resource), ("query", &None));
    let spent: i64 = sqlx::query_scalar(
        "select sum(-e.change)::bigint from credit.entry e
         join credit.account a on a.id = e.counterpart where a.name = 'spent'",
    )
    .fetch_one(here.world.pool())
    .await
    .unwrap();
    assert_eq!(spent, 0);
}

#[tokio::test]
async fn what_was_captured_is_refunded_as_any_charge() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let captured = capture(&held, 4);
    here.client.capture(&here.open, &captured).await;
    let ledger = &here.client.ledger;
    let over = ledger.refund(&refund(captured.request, 5)).await;
    assert!(matches!(over, Err(Error::ExceedsCharge { left: 4 })));
    ledger.refund(&refund(captured.request, 4)).await.unwrap();
    assert_eq!(here.standing().await, (10, 0));
    here.assert_sound().await;
}

/// Each of them has looked, and found that nothing was refunded yet.
#[tokio::test]
async fn of_many_refunds_at_once_no_more_is_given_back_than_was_charged() {
    let here = Holding::new().await;
    let charged = here.charged(7).await;
    let clients = clients(&here.world, 6).await;
    let mut line = Line::before(&here.world, &here.alice).await;
    let mut waiting = Vec::new();
    for client in &clients {
        waiting.push(client.start_refund(&refund(charged, 3)));
        line.joined_by(client).await;
    }
    line.let_go().await;
    let mut made = 0;
    for one in waiting {
        match one.done().await {
            Ok(_) => made += 1,
            Err(Error::ExceedsCharge { left }) => assert_eq!(left, 1),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(made, 2);
    assert_eq!(here.standing().await, (9, 0));
    here.assert_sound().await;
}

#[tokio::test]
async fn a_refund_that_is_sent_again_returns_its_first_outcome_or_what_differs() {
    let here = Holding::new().await;
    let (one, other) = (here.charged(4).await, here.charged(3).await);
    let ledger = &here.client.ledger;
    let back = refund(one, 4);
    let first = ledger.refund(&back).await.unwrap();
    let again = ledger.refund(&back).await.unwrap();
    assert!(again.replayed && !first.replayed);
    assert_eq!((again.seq, again.balance_after), (first.seq, 7));
    for (other, field) in [
        (
            Refund {
                charge: other,
                ..back
            },
            "charge",
        ),
        (
            Refund {
                amount: Credits::new(3).unwrap(),
                ..back
            },
            "amount",
        ),
    ] {
        match ledger.refund(&other).await {
            Err(Error::Mismatch { field: named }) => assert_eq!(named, field),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(here.standing().await, (7, 0));
}

/// The winner has written its refund and not committed; it takes all that is left.
#[tokio::test]
async fn the_loser_of_two_twins_hears_that_the_winner_has_refunded() {
    let here = Holding::new().await;
    let charged = here.charged(7).await;
    let (first, second) = (here.world.client().await, here.world.client().await);
    let mut line = Line::before(&here.world, &here.alice).await;
    let back = refund(charged, 7);
    let winner = first.start_refund(&back);
    line.joined_by(&first).await;
    let loser = second.start_refund(&back);
    line.joined_by(&second).await;
    line.let_go().await;
    let (winner, loser) = (winner.done().await.unwrap(), loser.done().await.unwrap());
    assert_eq!(winner.seq, loser.seq);
    assert!(winner.replayed != loser.replayed);
    here.assert_sound().await;
}

#[tokio::test]
async fn nothing_but_a_charge_is_refunded() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let granted = grant_of(RequestId::random(), &here.alice, 5);
    ledger.grant(&granted).await.unwrap();
    let held = here.hold(5).await;
    let charged = here.charged(2).await;
    let back = refund(charged, 2);
    ledger.refund(&back).await.unwrap();
    for of in [
        RequestId::random(),
        granted.request,
        held.request,
        back.request,
    ] {
        let refused = ledger.refund(&refund(of, 1)).await;
        assert!(matches!(refused, Err(Error::UnknownCharge)), "{refused:?}");
    }
    let itself = Refund {
        request: charged,
        ..refund(charged, 1)
    };
    match ledger.refund(&itself).await {
        Err(Error::Store(error)) => assert_eq!(stored_sqlstate(&error), "ZF004"),
        other => panic!("{other:?}"),
    }
    here.assert_sound().await;
}

/// C48: at the end of the range.
#[tokio::test]
async fn a_refund_that_the_balance_cannot_take_is_told_and_moves_nothing() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let rich = here.world.account("rich", i64::MAX).await;
    let all = charge_of(RequestId::random(), &rich, i64::MAX);
    here.client.charge(&here.open, &all).await;
    let more = grant_of(RequestId::random(), &rich, 1);
    ledger.grant(&more).await.unwrap();
    let over = ledger.refund(&refund(all.request, i64::MAX)).await;
    assert!(
        matches!(over, Err(Error::BalanceOverflow { balance: 1 })),
        "{over:?}"
    );
    ledger
        .refund(&refund(all.request, i64::MAX - 1))
        .await
        .unwrap();
    assert_eq!(here.world.balance(&rich).await, i64::MAX);
    here.assert_sound().await;
}
