//! Expired, by the database's clock: from one moment on nobody captures the hold any more, and its credits are free,
//! whether or not somebody has written that down.

use std::time::Duration;

use credit_ledger::{Account, Error, Hold, HoldState};
use promises::{World, capture, charge, hold, permit, release};
use time::OffsetDateTime;

use crate::setup::{Holding, ended};

/// The shortest there is.
const AT_ONCE: Duration = Duration::from_millis(1);

/// Long enough for a call to be seen waiting before it is over.
const SOON: Duration = Duration::from_millis(700);

fn expiring(account: &Account, amount: i64, expires_in: Duration) -> Hold {
    Hold {
        expires_in,
        ..hold(account, amount)
    }
}

/// Returns when the database's clock has come to this moment.
async fn until(world: &World, moment: OffsetDateTime) {
    let sleep = sqlx::query("select pg_sleep_until($1)").bind(moment);
    sleep.execute(world.pool()).await.unwrap();
}

impl Holding {
    /// A hold that is over.
    async fn expired(&self, amount: i64) -> Hold {
        let hold = expiring(&self.alice, amount, AT_ONCE);
        let held = self.client.ledger.hold(&self.open, &hold).await.unwrap();
        until(&self.world, held.expires_at).await;
        hold
    }
}

#[tokio::test]
async fn an_expired_hold_is_neither_captured_nor_released_and_holds_nothing() {
    let here = Holding::new().await;
    let over = here.expired(7).await;
    assert_eq!(here.states().await, [HoldState::Expired]);
    assert_eq!(here.standing().await, (10, 0));
    here.assert_sound().await;
    let ledger = &here.client.ledger;
    assert_eq!(
        ended(ledger.capture(&here.open, &capture(&over, 7)).await),
        HoldState::Expired
    );
    assert_eq!(
        ended(ledger.release(&here.open, &release(&over)).await),
        HoldState::Expired
    );
    here.client
        .charge(&here.open, &charge(&here.alice, 10))
        .await;
    here.assert_sound().await;
}

/// It was open when the capture began, and is not when the account's row comes.
#[tokio::test]
async fn a_hold_that_expires_while_its_capture_waits_is_expired() {
    let here = Holding::new().await;
    let mut blocker = here.world.session().await;
    let one = expiring(&here.alice, 7, SOON);
    let held = here.client.ledger.hold(&here.open, &one).await.unwrap();
    blocker.hold_account(&here.alice).await;
    let capturing = here.client.start_capture(&here.open, &capture(&one, 7));
    here.world.until_blocked(here.client.pid, blocker.pid).await;
    until(&here.world, held.expires_at).await;
    blocker.run("rollback").await;
    assert_eq!(ended(capturing.done().await), HoldState::Expired);
    assert_eq!(here.standing().await, (10, 0));
    here.assert_sound().await;
}

/// Each verb that locks the account gives back what is over, before it judges credit by it.
#[tokio::test]
async fn whoever_locks_the_account_gives_expired_holds_back_first() {
    let here = Holding::new().await;
    here.expired(10).await;
    here.client
        .charge(&here.open, &charge(&here.alice, 2))
        .await;
    here.expired(8).await;
    let all = hold(&here.alice, 8);
    here.client.hold(&here.open, &all).await;
    here.client.capture(&here.open, &capture(&all, 8)).await;
    assert_eq!(here.standing().await, (0, 0));
    // So that it can be closed.
    let broke = here.world.account("broke", 1).await;
    let one = expiring(&broke, 1, AT_ONCE);
    let held = here.client.ledger.hold(&here.open, &one).await.unwrap();
    until(&here.world, held.expires_at).await;
    here.client.charge(&here.open, &charge(&broke, 1)).await;
    assert!(here.client.ledger.close_account(&broke).await.unwrap());
    here.assert_sound().await;
}

#[tokio::test]
async fn a_sweep_gives_back_what_nobody_comes_for_and_waits_for_nobody() {
    let here = Holding::new().await;
    here.expired(7).await;
    let bob = here.world.account("bob", 10).await;
    let open = here.client.open(&permit("s", 1)).await;
    for amount in [1, 2] {
        let one = expiring(&bob, amount, AT_ONCE);
        let held = here.client.ledger.hold(&open, &one).await.unwrap();
        until(&here.world, held.expires_at).await;
    }
    let mut blocker = here.world.session().await;
    blocker.hold_account(&here.alice).await;
    let ledger = here.world.ledger();
    // The second of bob's holds gave the first one back.
    assert_eq!(ledger.sweep_holds(10).await.unwrap(), 1);
    blocker.run("rollback").await;
    assert_eq!(ledger.sweep_holds(10).await.unwrap(), 1);
    assert_eq!(ledger.sweep_holds(10).await.unwrap(), 0);
    let held: Vec<i64> = sqlx::query_scalar("select held from credit.account where not is_system")
        .fetch_all(here.world.pool())
        .await
        .unwrap();
    assert_eq!(held, [0, 0]);
    here.assert_sound().await;
}

/// A batch is of accounts: neither many holds of one, nor those that are locked, use it up.
#[tokio::test]
async fn a_sweep_of_a_batch_goes_on_behind_an_account_that_is_locked_and_one_with_many_holds() {
    let here = Holding::new().await;
    let ledger = here.world.ledger();
    let mut last = None;
    // In the order in which they expire.
    for name in ["alice", "bob", "bob", "carol"] {
        let account = here.world.account(name, 5).await;
        let one = expiring(&account, 1, SOON);
        last = Some(here.client.ledger.hold(&here.open, &one).await.unwrap());
    }
    until(&here.world, last.unwrap().expires_at).await;
    let mut blocker = here.world.session().await;
    blocker.hold_account(&here.alice).await;
    assert_eq!(ledger.sweep_holds(2).await.unwrap(), 3, "bob's and carol's");
    assert_eq!(ledger.sweep_holds(2).await.unwrap(), 0);
    blocker.run("rollback").await;
    assert_eq!(ledger.sweep_holds(2).await.unwrap(), 1);
    here.assert_sound().await;
}

/// What is judged and what is kept is one moment: a capture that was in time stays so, however long it takes from there.
#[tokio::test]
async fn a_capture_that_was_in_time_is_none_of_an_expired_hold_to_the_audit() {
    let here = Holding::new().await;
    let mut blocker = here.world.session().await;
    let one = expiring(&here.alice, 7, SOON);
    let held = here.client.ledger.hold(&here.open, &one).await.unwrap();
    let captured = capture(&one, 7);
    let lock = format!(
        "begin; select pg_advisory_xact_lock(credit.request_key('{}'))",
        captured.request
    );
    blocker.run(sqlx::AssertSqlSafe(lock)).await;
    let capturing = here.client.start_capture(&here.open, &captured);
    here.world.until_blocked(here.client.pid, blocker.pid).await;
    until(&here.world, held.expires_at).await;
    blocker.run("rollback").await;
    let applied = capturing.done().await.unwrap();
    assert!(applied.at < held.expires_at);
    assert_eq!(here.standing().await, (3, 0));
    here.assert_sound().await;
}

/// C1 of holds: no time, and too much of it, is told and not made up for.
#[tokio::test]
async fn no_time_and_more_than_a_year_are_no_time_to_hold_for() {
    let here = Holding::new().await;
    for expires_in in [
        Duration::ZERO,
        Duration::from_micros(999),
        Duration::from_secs(366 * 86_400 + 1),
        Duration::MAX,
    ] {
        let one = expiring(&here.alice, 1, expires_in);
        match here.client.ledger.hold(&here.open, &one).await {
            Err(Error::Store(error)) => assert_eq!(promises::stored_sqlstate(&error), "ZF004"),
            other => panic!("{expires_in:?}: {other:?}"),
        }
    }
    let longest = expiring(&here.alice, 1, Duration::from_secs(366 * 86_400));
    let held = here.client.ledger.hold(&here.open, &longest).await.unwrap();
    assert_eq!(held.expires_at - held.at, time::Duration::days(366));
}
