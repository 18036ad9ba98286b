//! S2: after `open(f)` has returned, no write under a fence below f commits, also none that was
//! already past its check.
//!
//! The race: the old holder's write was checked and stands before its commit; the new holder opens,
//! reads "not charged", and charges. The writer moves first. Without the drain (the row lock that
//! `open` waits for) the open returns at once and the write lands after the read. And the other way
//! round: the opening moves first, the write queues behind it with a check that is out of date when
//! its turn comes; without the judgement after the wait it lands too.
//!
//! C24 and C25 are such writes through wrong guards; `canaries` shows those fail. C28 (checked in one
//! store, written in another) cannot be said with this guard: it lets a transaction in, and no call
//! of it only answers whether one may write. C29 is the frozen reader at the end.

use std::sync::Arc;

use fence_guard::{Closed, OpenPermit, Reason};
use promises::{Client, HOLD, MustRefuse, Started, World, account, charge, permit, start, within};
use uuid::Uuid;

#[tokio::test]
async fn an_opening_waits_out_a_guarded_transaction() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;
    let mut tx = old.begin(&first).await;
    let applied = old
        .ledger
        .charge_within(&mut tx, &first, &charge(&alice, 1))
        .await;

    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, old.pid).await;
    assert!(opening.is_running());
    assert!(world.charges(&alice).await.is_empty());
    tx.commit().await.unwrap();

    let second = opening.done().await.unwrap();
    assert_eq!(world.charges(&alice).await.len(), 1);
    assert!(applied.unwrap().seq < second.seq());
    assert!(second.is_takeover());
}

/// The charge is one statement. It has been admitted, and waits for the account.
#[tokio::test]
async fn an_opening_waits_out_a_single_charge() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let mut blocker = world.session().await;
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;

    blocker.hold_account(&alice).await;
    let writing = old.start_charge(&first, &charge(&alice, 1));
    world.until_blocked(old.pid, blocker.pid).await;
    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, old.pid).await;
    blocker.run("rollback").await;

    let applied = writing.done().await.unwrap();
    let second = opening.done().await.unwrap();
    assert!(applied.seq < second.seq());
    assert_eq!(world.charges(&alice).await.len(), 1);
}

/// A program without our client, which takes the row lock and knows nothing of the advisory one:
/// the row lock is the guard, the advisory lock is fairness only.
#[tokio::test]
async fn an_opening_waits_out_a_check_by_hand() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let mut by_hand = world.session().await;
    old.open(&permit("r", 1)).await;

    by_hand
        .run("begin; select from fence.resource where resource = 'r' for share")
        .await;
    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, by_hand.pid).await;
    assert!(opening.is_running());
    assert_eq!(world.mark("r").await, 1);
    by_hand.run("commit").await;

    opening.done().await.unwrap();
    assert_eq!(world.mark("r").await, 2);
}

/// The other way round: whoever raises the mark without the advisory lock waits for our writers all
/// the same, because they hold the row itself.
#[tokio::test]
async fn a_mark_that_is_raised_by_hand_waits_for_admitted_writers() {
    let world = World::new().await;
    let (old, mut by_hand) = (world.client().await, world.session().await);
    let mut blocker = world.session().await;
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;
    let hand = by_hand.pid;

    let tx = old.begin(&first).await;
    let raising = start(async move {
        by_hand
            .run("update fence.resource set fence = fence + 1")
            .await;
        by_hand
    });
    world.until_blocked(hand, old.pid).await;
    tx.commit().await.unwrap();
    let mut by_hand = raising.done().await;

    by_hand.open(&permit("r", 3)).await.unwrap();
    let third = old.open(&permit("r", 4)).await;
    blocker.hold_account(&alice).await;
    let writing = old.start_charge(&third, &charge(&alice, 1));
    world.until_blocked(old.pid, blocker.pid).await;
    let raising = start(async move {
        by_hand
            .run("update fence.resource set fence = fence + 1")
            .await;
    });
    world.until_blocked(hand, old.pid).await;
    blocker.run("rollback").await;
    writing.done().await.unwrap();
    raising.done().await;
}

/// The same for a close: after it, nothing of the holder is in flight.
#[tokio::test]
async fn a_close_waits_out_the_writes_of_its_own_holder() {
    let world = World::new().await;
    let (writer, closer) = (world.client().await, world.client().await);
    let open = writer.open(&permit("r", 1)).await;
    let tx = writer.begin(&open).await;
    let closing = closer.start_close(&open);
    world.until_blocked(closer.pid, writer.pid).await;
    tx.commit().await.unwrap();
    assert_eq!(closing.done().await, Closed::Closed);
}

#[tokio::test]
async fn an_opening_goes_on_when_the_write_in_flight_is_rolled_back() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;
    let mut tx = old.begin(&first).await;
    let charged = old
        .ledger
        .charge_within(&mut tx, &first, &charge(&alice, 1))
        .await;
    charged.unwrap();

    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, old.pid).await;
    tx.rollback().await.unwrap();

    opening.done().await.unwrap();
    assert!(world.charges(&alice).await.is_empty());
    assert_eq!(world.balance(&alice).await, 10);
}

#[tokio::test]
async fn an_overtaken_holder_is_refused_whichever_way_it_writes() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;
    new.open(&permit("r", 2)).await;

    let begun = old.guard.begin(&first, "query", Uuid::nil(), HOLD).await;
    assert_eq!(begun.must_refuse().reason(), Reason::Stale);
    let charged = old.ledger.charge(&first, &charge(&alice, 1)).await;
    assert_eq!(charged.must_refuse().reason(), Reason::Stale);
    assert_eq!(world.balance(&alice).await, 10);
}

/// The opening moves first and holds the row; the late write comes before its commit.
#[tokio::test]
async fn a_charge_that_queues_behind_an_opening_is_judged_after_the_wait() {
    let world = World::new().await;
    let (old, mut new) = (world.client().await, world.session().await);
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;

    new.run("begin").await;
    assert_eq!(new.open(&permit("r", 2)).await.unwrap().outcome, "opened");
    let late = old.start_charge(&first, &charge(&alice, 1));
    world.until_blocked(old.pid, new.pid).await;
    new.run("commit").await;

    let refusal = late.done().await.must_refuse();
    assert_eq!((refusal.reason(), refusal.mark().get()), (Reason::Stale, 2));
    assert!(world.charges(&alice).await.is_empty());
}

#[tokio::test]
async fn a_transaction_that_queues_behind_an_opening_is_judged_after_the_wait() {
    let world = World::new().await;
    let (old, mut new) = (world.client().await, world.session().await);
    let first = old.open(&permit("r", 1)).await;

    new.run("begin").await;
    assert_eq!(new.open(&permit("r", 2)).await.unwrap().outcome, "opened");
    let late = old.start_begin(&first);
    world.until_blocked(old.pid, new.pid).await;
    new.run("commit").await;

    let refusal = late.done().await.must_refuse();
    assert_eq!((refusal.reason(), refusal.mark().get()), (Reason::Stale, 2));
}

/// Row locks are not fair: without the advisory lock a second writer would join the first one in
/// sharing the row, and a stream of such writers would starve the opening.
#[tokio::test]
async fn a_write_that_comes_after_a_waiting_opening_does_not_overtake_it() {
    let world = World::new().await;
    let (old, late, new) = (
        world.client().await,
        world.client().await,
        world.client().await,
    );
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;
    let tx = old.begin(&first).await;
    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, old.pid).await;
    let writing = late.start_charge(&first, &charge(&alice, 1));
    world.until_blocked(late.pid, new.pid).await;
    tx.commit().await.unwrap();

    opening.done().await.unwrap();
    assert_eq!(writing.done().await.must_refuse().reason(), Reason::Stale);
}

/// A write that was already refused holds nothing up, though its transaction shared the row.
#[tokio::test]
async fn a_refused_write_holds_up_no_opening() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let first = old.open(&permit("r", 1)).await;
    new.open(&permit("r", 2)).await;
    let begun = old.guard.begin(&first, "query", Uuid::nil(), HOLD).await;
    begun.must_refuse();
    within("an opening after a refusal", new.open(&permit("r", 3))).await;
}

/// A transaction under two permits is waited out by the opening of either resource.
#[tokio::test]
async fn a_transaction_under_two_permits_is_waited_out_by_both_openings() {
    let world = World::new().await;
    let (mut both, left, right) = (
        world.session().await,
        world.client().await,
        world.client().await,
    );
    let (on_left, on_right) = (permit("left", 1), permit("right", 1));
    both.open(&on_left).await.unwrap();
    both.open(&on_right).await.unwrap();

    both.run("begin").await;
    let answer = both.admit(&[&on_right, &on_left]).await.unwrap();
    assert_eq!(answer.outcome, "admitted");
    let opening_left = left.start_open(&permit("left", 2));
    let opening_right = right.start_open(&permit("right", 2));
    world.until_blocked(left.pid, both.pid).await;
    world.until_blocked(right.pid, both.pid).await;
    both.run("commit").await;
    opening_left.done().await.unwrap();
    opening_right.done().await.unwrap();
}

/// Two transactions name two resources in opposite orders, with openings of both in between. Taken
/// in the order of the arguments, the locks would deadlock.
#[tokio::test]
async fn permits_are_locked_in_one_order_whatever_the_order_of_the_arguments() {
    let world = World::new().await;
    let (mut opener, mut one, mut two) = (
        world.session().await,
        world.session().await,
        world.session().await,
    );
    let (on_left, on_right) = (permit("left", 1), permit("right", 1));
    opener.open(&on_left).await.unwrap();
    opener.open(&on_right).await.unwrap();

    // Both stop at the first name, although one of them mentions it last.
    opener.run("begin").await;
    opener.open(&permit("left", 2)).await.unwrap();
    let pids = [one.pid, two.pid];
    let (l, r) = (on_left.clone(), on_right.clone());
    let first = start(async move { one.admit(&[&l, &r]).await });
    let (l, r) = (on_left, on_right);
    let second = start(async move { two.admit(&[&r, &l]).await });
    for pid in pids {
        world.until_blocked(pid, opener.pid).await;
    }
    // Nobody holds the second name.
    let mut right = world.session().await;
    let opened = within("the second name", right.open(&permit("right", 2))).await;
    assert_eq!(opened.unwrap().outcome, "opened");
    opener.run("commit").await;
    assert_eq!(first.done().await.unwrap().outcome, "stale");
    assert_eq!(second.done().await.unwrap().outcome, "stale");
}

/// C29: a frozen holder reads a balance, and decides by it. Inside a guarded transaction the read is
/// fenced like a write: the successor cannot open before the decision is made and committed.
#[tokio::test]
async fn what_is_read_in_a_guarded_transaction_is_true_until_it_ends() {
    let world = World::new().await;
    let (frozen, next) = (world.client().await, world.client().await);
    let alice = world.account("alice", 1).await;
    let first = frozen.open(&permit("r", 1)).await;

    let mut tx = frozen.begin(&first).await;
    let read: i64 = sqlx::query_scalar("select credit.balance('alice')")
        .fetch_one(&mut *tx)
        .await
        .unwrap();
    let takeover = start_takeover(&next, 2);
    world.until_blocked(next.pid, frozen.pid).await;
    assert_eq!(world.balance(&alice).await, read);
    tx.commit().await.unwrap();
    takeover.done().await;
    assert_eq!(world.balance(&alice).await, read - 1);

    // Overtaken, it cannot even begin to read.
    let begun = frozen.guard.begin(&first, "query", Uuid::nil(), HOLD).await;
    assert_eq!(begun.must_refuse().reason(), Reason::Stale);
}

/// The successor of `r`: opens, then charges alice one credit.
fn start_takeover(client: &Client, fence: u64) -> Started<Arc<OpenPermit>> {
    let (guard, ledger) = (client.guard.clone(), client.ledger.clone());
    start(async move {
        let open = guard.open(&permit("r", fence), HOLD).await.unwrap();
        ledger
            .charge(&open, &charge(&account("alice"), 1))
            .await
            .unwrap();
        Arc::new(open)
    })
}
