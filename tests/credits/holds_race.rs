//! A hold is resolved at most once, whoever comes at the same time: of two that would, one does, and the other is told
//! which. The lock of the account orders them; what each read before it had the lock is read again after it.
//!
//! And half of a resolution never stands: entry, balance, what is held and the hold's own row move together, or not.

use std::sync::Arc;

use credit_ledger::{Applied, Capture, Error, HoldState, Release};
use fence_guard::OpenPermit;
use promises::{Client, Started, capture, hold, release, sqlstate};

use crate::line::{Line, clients};
use crate::setup::{Holding, ended};

/// C38: confirm call and webhook capture the same hold, each with a request id of its own. The first has written and
/// not committed; the second has found the hold open.
#[tokio::test]
async fn c38_of_two_captures_of_one_hold_the_second_hears_that_it_was_captured() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let webhook = here.world.client().await;
    let mut tx = here.client.begin(&here.open).await;
    let first = capture(&held, 7);
    let applied = here
        .client
        .ledger
        .capture_within(&mut tx, &here.open, &first);
    let applied = applied.await.unwrap();
    let second = webhook.start_capture(&here.open, &capture(&held, 7));
    here.world.until_blocked(webhook.pid, here.client.pid).await;
    tx.commit().await.unwrap();

    match second.done().await {
        Err(Error::HoldEnded { state, at, seq }) => {
            assert_eq!((state, at), (HoldState::Captured, applied.at));
            assert!(seq > applied.seq);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(here.standing().await, (3, 0));
    assert_eq!(here.world.charges(&here.alice).await.len(), 1);
    here.assert_sound().await;
}

/// C38 for every pair: the one that holds the account's row first wins, and the other hears of it.
#[tokio::test]
async fn c38_of_a_capture_and_a_release_one_wins_and_the_other_hears_which() {
    for capture_is_first in [true, false] {
        let here = Holding::new().await;
        let held = here.hold(7).await;
        let other = here.world.client().await;
        let mut tx = here.client.begin(&here.open).await;
        let ledger = &here.client.ledger;
        let (capture, release) = (capture(&held, 7), release(&held));
        if capture_is_first {
            let first = ledger.capture_within(&mut tx, &here.open, &capture);
            first.await.unwrap();
            let second = other.start_release(&here.open, &release);
            here.world.until_blocked(other.pid, here.client.pid).await;
            tx.commit().await.unwrap();
            assert_eq!(ended(second.done().await), HoldState::Captured);
            assert_eq!(here.standing().await, (3, 0));
        } else {
            let first = ledger.release_within(&mut tx, &here.open, &release);
            first.await.unwrap();
            let second = other.start_capture(&here.open, &capture);
            here.world.until_blocked(other.pid, here.client.pid).await;
            tx.commit().await.unwrap();
            assert_eq!(ended(second.done().await), HoldState::Released);
            assert_eq!(here.standing().await, (10, 0));
        }
        here.assert_sound().await;
    }
}

/// The first one is rolled back: then there was no first one.
#[tokio::test]
async fn the_second_capture_wins_when_the_first_is_rolled_back() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let other = here.world.client().await;
    let mut tx = here.client.begin(&here.open).await;
    let undone = capture(&held, 7);
    let first = here
        .client
        .ledger
        .capture_within(&mut tx, &here.open, &undone);
    first.await.unwrap();
    let second = other.start_capture(&here.open, &capture(&held, 5));
    here.world.until_blocked(other.pid, here.client.pid).await;
    tx.rollback().await.unwrap();
    assert_eq!(second.done().await.unwrap().balance_after, 5);
    here.assert_sound().await;
}

/// What one of many callers of [`c39`] does.
enum Settling {
    Capture(Started<Result<Applied, Error>>),
    Release(Started<Result<credit_ledger::Released, Error>>),
}

/// All of them wait for the account, having been admitted, and are let go at once.
async fn settle(
    here: &Holding,
    clients: &[Client],
    open: &Arc<OpenPermit>,
    what: impl Fn(usize) -> Result<Capture, Release>,
) -> Vec<Settling> {
    let mut line = Line::before(&here.world, &here.alice).await;
    let mut settling = Vec::new();
    for (index, client) in clients.iter().enumerate() {
        settling.push(match what(index) {
            Ok(capture) => Settling::Capture(client.start_capture(open, &capture)),
            Err(release) => Settling::Release(client.start_release(open, &release)),
        });
        line.joined_by(client).await;
    }
    line.let_go().await;
    settling
}

/// C39: one transaction is settled by many within milliseconds, some by retries of one request, some by requests of
/// their own, some by releases. The balance moves once.
#[tokio::test]
async fn c39_what_is_settled_by_many_at_once_moves_the_balance_once() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let retried = capture(&held, 7);
    let clients = clients(&here.world, 9).await;
    let settling = settle(&here, &clients, &here.open, |index| match index % 3 {
        0 => Ok(retried),
        1 => Ok(capture(&held, 7)),
        _ => Err(release(&held)),
    });
    let (mut won, mut replayed, mut ends) = (0, 0, Vec::new());
    for one in settling.await {
        let (is_replay, end) = match one {
            Settling::Capture(capturing) => match capturing.done().await {
                Ok(applied) => (Some(applied.replayed), None),
                lost => (None, Some(ended(lost))),
            },
            Settling::Release(releasing) => match releasing.done().await {
                Ok(released) => (Some(released.replayed), None),
                lost => (None, Some(ended(lost))),
            },
        };
        won += usize::from(is_replay == Some(false));
        replayed += usize::from(is_replay == Some(true));
        ends.extend(end);
    }
    assert_eq!(won, 1);
    // The first in the queue is a retried one: its twins hear the same, all others how the hold ended.
    assert_eq!(replayed, 2);
    assert_eq!(ends, [HoldState::Captured; 6]);
    assert_eq!(here.standing().await, (3, 0));
    assert_eq!(here.world.charges(&here.alice).await.len(), 1);
    here.assert_sound().await;
}

/// C42: half of it is written when the rest fails. Nothing of it stands, and the retry does all of it, once.
#[tokio::test]
async fn c42_a_capture_that_fails_halfway_has_moved_nothing_and_its_retry_moves_all() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let mut hand = here.world.session().await;
    // The entry is written and the balance moved when the hold's row is not.
    hand.run(
        "create function public.fails() returns trigger language plpgsql
            as $$ begin raise exception 'no'; end $$;
         create trigger fails before update on credit.hold
            for each row execute function public.fails()",
    )
    .await;
    let one = capture(&held, 7);
    match here.client.ledger.capture(&here.open, &one).await {
        Err(Error::Store(credit_ledger::StoreError::Failed(error))) => {
            assert_eq!(sqlstate(Err::<(), _>(error)), "P0001");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(here.standing().await, (10, 7));
    assert!(here.world.charges(&here.alice).await.is_empty());
    here.assert_sound().await;

    hand.run("drop trigger fails on credit.hold").await;
    assert!(!here.client.capture(&here.open, &one).await.replayed);
    assert!(here.client.capture(&here.open, &one).await.replayed);
    assert_eq!(here.standing().await, (3, 0));
    here.assert_sound().await;
}

/// The same where the connection dies while the capture waits for the account: unknown, and then known by the retry.
#[tokio::test]
async fn c42_a_capture_whose_connection_is_cut_is_sent_again_and_moves_the_balance_once() {
    let here = Holding::new().await;
    let held = here.hold(7).await;
    let again = here.world.client().await;
    let mut blocker = here.world.session().await;
    blocker.hold_account(&here.alice).await;
    let one = capture(&held, 7);
    let cut = here.client.start_capture(&here.open, &one);
    here.world.until_blocked(here.client.pid, blocker.pid).await;
    sqlx::query("select pg_terminate_backend($1)")
        .bind(here.client.pid)
        .execute(here.world.pool())
        .await
        .unwrap();
    let unknown = cut.done().await;
    assert!(
        matches!(
            unknown,
            Err(Error::Store(credit_ledger::StoreError::Unknown(_)))
        ),
        "{unknown:?}"
    );
    blocker.run("rollback").await;
    again.capture(&here.open, &one).await;
    assert!(again.capture(&here.open, &one).await.replayed);
    assert_eq!(here.standing().await, (3, 0));
    here.assert_sound().await;
}

/// C40 of holds: each of them read a balance that covers one.
#[tokio::test]
async fn of_many_holds_that_wait_for_one_balance_only_the_covered_ones_are_made() {
    let here = Holding::new().await;
    let clients = clients(&here.world, 6).await;
    let mut line = Line::before(&here.world, &here.alice).await;
    let mut waiting = Vec::new();
    for client in &clients {
        waiting.push(client.start_hold(&here.open, &hold(&here.alice, 4)));
        line.joined_by(client).await;
    }
    line.let_go().await;
    let mut made = 0;
    for one in waiting {
        match one.done().await {
            Ok(_) => made += 1,
            Err(Error::InsufficientCredit { balance, held }) => {
                assert_eq!((balance, held), (10, 8));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(made, 2);
    assert_eq!(here.standing().await, (10, 8));
    here.assert_sound().await;
}
