//! The riding form: one call that opens, looks whether it was paid for, charges, and closes what it opened. The decision
//! is made in the database, so its caller needs no opening; what it needs is that every charge for the purpose is
//! made under the same resource.

use credit_ledger::{Charge, Error, Once, Purpose, RequestId};
use fence_guard::{Permit, Reason};
use promises::{MustRefuse, charge, charge_of, permit, same_number, sqlstate};
use time::{Duration, OffsetDateTime};

use crate::setup::Riding;

impl Riding {
    pub(crate) async fn once(&self, permit: &Permit, charge: &Charge) -> Result<Once, Error> {
        self.client.ledger.charge_once(permit, charge, None).await
    }

    /// Whether the newest opening of `r` is closed.
    async fn is_closed(&self) -> bool {
        sqlx::query_scalar("select closed_seq is not null from fence.resource where resource = 'r'")
            .fetch_one(self.world.pool())
            .await
            .unwrap()
    }
}

/// The charge that had to be made.
pub(crate) fn charged(outcome: Result<Once, Error>) -> credit_ledger::Applied {
    match outcome {
        Ok(Once::Charged(applied)) => applied,
        other => panic!("it had to be charged, this is {other:?}"),
    }
}

#[tokio::test]
async fn the_first_call_charges_and_every_later_one_is_told_of_it() {
    let here = Riding::new().await;
    let first = charged(here.once(&permit("r", 1), &charge(&here.alice, 3)).await);
    assert_eq!(first.balance_after, 7);
    for fence in 2..4 {
        match here
            .once(&permit("r", fence), &charge(&here.alice, 3))
            .await
        {
            Ok(Once::AlreadyCharged { seq, at }) => assert_eq!((seq, at), (first.seq, first.at)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(here.world.balance(&here.alice).await, 7);
    here.assert_sound().await;
}

#[tokio::test]
async fn it_closes_what_it_opened_itself() {
    let here = Riding::new().await;
    let rider = permit("r", 1);
    here.once(&rider, &charge(&here.alice, 3)).await.unwrap();
    assert!(here.is_closed().await);
    assert_eq!(here.world.openings("r").await.len(), 1);
    // A permit rides once; what it came to is told for ever.
    let again = charge(&here.alice, 3);
    let refused = here.once(&rider, &again).await.must_refuse();
    assert_eq!(refused.reason(), Reason::Closed);
    let next = here.client.open(&permit("r", 2)).await;
    assert!(!next.is_takeover());
    here.assert_sound().await;
}

#[tokio::test]
async fn it_leaves_an_opening_open_that_was_there() {
    let here = Riding::new().await;
    let open = here.client.open(&permit("r", 1)).await;
    charged(here.once(open.permit(), &charge(&here.alice, 3)).await);
    assert!(!here.is_closed().await);
    assert_eq!(here.world.openings("r").await.len(), 1);
    here.client.charge(&open, &charge(&here.alice, 1)).await;
    here.assert_sound().await;
}

/// It opens: whoever had the resource open is overtaken, as by any opening.
#[tokio::test]
async fn a_holder_that_it_overtakes_is_refused() {
    let here = Riding::new().await;
    let open = here.client.open(&permit("r", 1)).await;
    charged(here.once(&permit("r", 2), &charge(&here.alice, 3)).await);
    let late = here
        .client
        .ledger
        .charge(&open, &charge(&here.alice, 3))
        .await;
    assert_eq!(late.must_refuse().reason(), Reason::Stale);
    here.assert_sound().await;
}

#[tokio::test]
async fn a_late_permit_charges_nothing_and_is_kept_as_a_row() {
    let here = Riding::new().await;
    let (late, newest) = (permit("r", 1), permit("r", 2));
    here.client.open(&newest).await;
    for (shown, reason) in [
        (&late, Reason::Stale),
        (&same_number(&newest), Reason::Conflict),
    ] {
        let refused = here
            .once(shown, &charge(&here.alice, 3))
            .await
            .must_refuse();
        assert_eq!((refused.reason(), refused.mark().get()), (reason, 2));
    }
    let rows = here.world.refusals().await;
    let told: Vec<&str> = rows.iter().map(|row| row.operation.as_str()).collect();
    assert_eq!(told, ["charge_once", "charge_once"]);
    assert_eq!(here.world.balance(&here.alice).await, 10);
    here.assert_sound().await;
}

#[tokio::test]
async fn it_looks_from_the_moment_on_that_moment_included() {
    let here = Riding::new().await;
    let ledger = &here.client.ledger;
    let mut fence = 0;
    let mut once = async |since: Option<OffsetDateTime>| {
        fence += 1;
        let (rider, charge) = (permit("r", fence), charge(&here.alice, 1));
        ledger.charge_once(&rider, &charge, since).await
    };
    let first = charged(once(None).await);
    assert!(matches!(
        once(Some(first.at)).await,
        Ok(Once::AlreadyCharged { .. })
    ));
    let second = charged(once(Some(first.at + Duration::MICROSECOND)).await);
    // The first of those that count.
    match once(None).await {
        Ok(Once::AlreadyCharged { seq, .. }) => assert_eq!(seq, first.seq),
        other => panic!("{other:?}"),
    }
    assert!(second.seq > first.seq);
    assert_eq!(here.world.balance(&here.alice).await, 8);
}

#[tokio::test]
async fn another_purpose_or_account_or_a_mere_grant_is_no_charge_for_it() {
    let here = Riding::new().await;
    let bob = here.world.account("bob", 10).await;
    charged(here.once(&permit("r", 1), &charge(&bob, 1)).await);
    let other = Charge {
        purpose: Purpose::new("another query").unwrap(),
        ..charge(&here.alice, 1)
    };
    charged(here.once(&permit("r", 2), &other).await);
    // Alice was granted her credits for this very purpose.
    charged(here.once(&permit("r", 3), &charge(&here.alice, 1)).await);
    here.assert_sound().await;
}

#[tokio::test]
async fn a_capture_counts_as_a_charge_and_a_hold_does_not() {
    let here = Riding::new().await;
    let open = here.client.open(&permit("r", 1)).await;
    let held = promises::hold(&here.alice, 3);
    here.client.hold(&open, &held).await;
    here.client
        .capture(&open, &promises::capture(&held, 2))
        .await;
    let outcome = here.once(open.permit(), &charge(&here.alice, 3)).await;
    assert!(matches!(outcome, Ok(Once::AlreadyCharged { .. })));
}

#[tokio::test]
async fn a_replay_is_answered_also_to_a_permit_that_is_closed_or_stale() {
    let here = Riding::new().await;
    let (rider, job) = (permit("r", 1), charge(&here.alice, 3));
    let first = charged(here.once(&rider, &job).await);
    here.client.open(&permit("r", 2)).await;
    for shown in [rider, permit("r", 3)] {
        let again = charged(here.once(&shown, &job).await);
        assert!(again.replayed);
        assert_eq!(again.seq, first.seq);
    }
    // The second permit was not needed for that, and has opened nothing.
    assert_eq!(here.world.mark("r").await, 2);
    let other = charge_of(job.request, &here.alice, 4);
    let differs = here.once(&permit("r", 4), &other).await;
    assert!(matches!(differs, Err(Error::Mismatch { field }) if field == "amount"));
}

#[tokio::test]
async fn without_credit_or_account_it_charges_nothing_and_says_why() {
    let here = Riding::new().await;
    let job = charge(&here.alice, 11);
    let poor = here.once(&permit("r", 1), &job).await;
    assert!(matches!(
        poor,
        Err(Error::InsufficientCredit { balance: 10, .. })
    ));
    assert!(here.is_closed().await);
    let nobody = promises::account("nobody");
    let unknown = here.once(&permit("r", 2), &charge(&nobody, 1)).await;
    assert!(matches!(unknown, Err(Error::UnknownAccount)));
    // The request is not used up.
    let more = promises::grant_of(RequestId::random(), &here.alice, 1);
    here.client.ledger.grant(&more).await.unwrap();
    charged(here.once(&permit("r", 3), &job).await);
    here.assert_sound().await;
}

/// It would cut short an opening that the guard has minted itself.
#[tokio::test]
async fn it_is_told_until_when_a_minted_opening_keeps_the_resource() {
    let here = Riding::new().await;
    let minted = here
        .client
        .guard
        .open_next(
            &promises::resource("r"),
            fence_guard::Holder::random(),
            promises::HOLD,
        )
        .await
        .unwrap();
    let busy = here.once(&permit("r", 9), &charge(&here.alice, 3)).await;
    assert!(
        matches!(&busy, Err(Error::Busy { until }) if *until == minted.valid_until()),
        "{busy:?}"
    );
    assert!(here.world.refusals().await.is_empty());
    charged(here.once(minted.permit(), &charge(&here.alice, 3)).await);
}

/// It opens, and an opening comes first in its transaction.
#[tokio::test]
async fn it_is_alone_in_its_transaction() {
    let here = Riding::new().await;
    let mut session = here.world.session().await;
    let call = "select credit.charge_once('r', 1, gen_random_uuid(), gen_random_uuid(), 'alice', 1, 'query')";
    session.run("begin").await;
    session.run("select credit.open_account('bob')").await;
    assert_eq!(sqlstate(session.attempt(call).await), "ZF002");
    session.run("rollback").await;
    let mine = permit("s", 1);
    session.open(&mine).await.unwrap();
    session.run("begin").await;
    session.admit(&[&mine]).await.unwrap();
    assert_eq!(sqlstate(session.attempt(call).await), "ZF002");
    session.run("rollback").await;
    assert_eq!(here.world.balance(&here.alice).await, 10);
}
