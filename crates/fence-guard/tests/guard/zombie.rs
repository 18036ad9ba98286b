//! S10: a holder that was overtaken costs the rightful one nothing. Whatever it asks is answered from
//! a plain read, while writers of the rightful holder are in flight: a lock that it queued for would
//! stand in front of all later writers.

use fence_guard::{Closed, Reason};
use promises::{HOLD, MustRefuse, World, permit, same_number, within};

use crate::support::locks_of;

#[tokio::test]
async fn a_stale_opening_is_answered_while_a_writer_is_in_flight() {
    let world = World::new().await;
    let (zombie, rightful) = (world.client().await, world.client().await);
    let second = rightful.open(&permit("r", 2)).await;
    let tx = rightful.begin(&second).await;

    let lower = permit("r", 1);
    let stale = within("a stale opening", zombie.guard.open(&lower, HOLD)).await;
    assert_eq!(stale.must_refuse().reason(), Reason::Stale);
    assert_eq!(locks_of(world.pool(), zombie.pid).await, 0);
    let twin = same_number(second.permit());
    let conflict = within("a conflicting opening", zombie.guard.open(&twin, HOLD)).await;
    assert_eq!(conflict.must_refuse().reason(), Reason::Conflict);
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_stale_close_is_answered_while_a_writer_is_in_flight() {
    let world = World::new().await;
    let (zombie, rightful) = (world.client().await, world.client().await);
    let first = zombie.open(&permit("r", 1)).await;
    let second = rightful.open(&permit("r", 2)).await;
    let tx = rightful.begin(&second).await;

    let closed = within("a stale close", zombie.guard.close(&first, -1)).await;
    assert!(
        matches!(closed.unwrap(), Closed::Overtaken(refusal) if refusal.reason() == Reason::Stale)
    );
    assert_eq!(locks_of(world.pool(), zombie.pid).await, 0);
    tx.commit().await.unwrap();
}

/// A lost reply is asked for again while the holder's own transactions are under way (C30).
#[tokio::test]
async fn an_opening_sent_again_is_answered_while_its_own_writer_is_in_flight() {
    let world = World::new().await;
    let (writer, again) = (world.client().await, world.client().await);
    let mine = permit("r", 1);
    let first = writer.open(&mine).await;
    let tx = writer.begin(&first).await;

    let repeated = within("a repeated opening", again.guard.open(&mine, HOLD)).await;
    assert_eq!(repeated.unwrap().seq(), first.seq());
    tx.commit().await.unwrap();
}
