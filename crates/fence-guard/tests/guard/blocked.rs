//! S10: whoever opens behind something that does not end is told what it is, and leaves nothing
//! behind: no lock, no queue, no row.

use std::time::Duration;

use fence_guard::{Error, Guard, GuardOptions, Permit};
use promises::{Client, HOLD, World, permit, within};

use crate::support::locks_of;

/// How long these openings wait before they ask who is in their way.
const WAIT: Duration = Duration::from_millis(200);

/// The guard of a client, with a short wait.
fn impatient(client: &Client) -> Guard {
    let options = GuardOptions::default().with_wait(WAIT);
    Guard::with_options(client.guard.pool().clone(), options)
}

/// Why an opening that has to fail does.
async fn failed_opening(client: &Client, permit: &Permit) -> Error {
    let guard = impatient(client);
    let opening = guard.open(permit, HOLD);
    within("an opening with a bound", opening)
        .await
        .unwrap_err()
}

/// The backends that an opening or a close was told to be blocked by.
fn blockers_in(error: Error) -> Vec<i32> {
    match error {
        Error::Blocked { blockers } => blockers.iter().filter_map(|b| b.pid).collect(),
        other => panic!("it had to be blocked, it came to {other}"),
    }
}

#[tokio::test]
async fn an_opening_behind_a_writer_names_its_backend_and_opens_once_it_has_ended() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let first = old.open(&permit("r", 1)).await;
    let tx = old.begin(&first).await;

    let second = permit("r", 2);
    let error = failed_opening(&new, &second).await;
    assert_eq!(blockers_in(error), [old.pid]);
    assert_eq!(locks_of(world.pool(), new.pid).await, 0);
    assert_eq!(world.mark("r").await, 1);
    assert_eq!(world.openings("r").await.len(), 1);

    tx.commit().await.unwrap();
    impatient(&new).open(&second, HOLD).await.unwrap();
    assert_eq!(world.mark("r").await, 2);
}

#[tokio::test]
async fn an_opening_behind_two_writers_names_both() {
    let world = World::new().await;
    let clients = (
        world.client().await,
        world.client().await,
        world.client().await,
    );
    let first = clients.0.open(&permit("r", 1)).await;
    let one = clients.0.begin(&first).await;
    let two = clients.1.begin(&first).await;

    let error = failed_opening(&clients.2, &permit("r", 2)).await;
    assert_eq!(blockers_in(error), [clients.0.pid, clients.1.pid]);
    one.rollback().await.unwrap();
    two.rollback().await.unwrap();
}

/// The resource has no row yet: what they meet at is the advisory lock.
#[tokio::test]
async fn an_opening_behind_the_first_opening_of_all_names_it() {
    let world = World::new().await;
    let (mut first, new) = (world.session().await, world.client().await);
    first.run("begin").await;
    first.open(&permit("r", 1)).await.unwrap();

    let error = failed_opening(&new, &permit("r", 2)).await;
    assert_eq!(blockers_in(error), [first.pid]);
    assert_eq!(world.mark("r").await, 0);
    first.run("rollback").await;
    impatient(&new).open(&permit("r", 2), HOLD).await.unwrap();
}

/// No function of the guard tells who holds the row then: the list is empty, and says so.
#[tokio::test]
async fn an_opening_behind_a_row_locked_by_hand_is_blocked_by_nobody_it_could_name() {
    let world = World::new().await;
    let (mut hand, new) = (world.session().await, world.client().await);
    new.open(&permit("r", 1)).await;
    hand.run("begin; select from fence.resource for share")
        .await;

    let error = failed_opening(&new, &permit("r", 2)).await;
    let text = error.to_string();
    assert!(text.contains("not to be seen"), "{text}");
    assert!(blockers_in(error).is_empty());
    assert_eq!(locks_of(world.pool(), new.pid).await, 0);
}

#[tokio::test]
async fn a_close_behind_its_own_writer_names_it_and_closes_nothing() {
    let world = World::new().await;
    let (writer, closer) = (world.client().await, world.client().await);
    let open = writer.open(&permit("r", 1)).await;
    let tx = writer.begin(&open).await;

    let guard = impatient(&closer);
    let closed = within("a close with a bound", guard.close(&open, 1)).await;
    assert_eq!(blockers_in(closed.unwrap_err()), [writer.pid]);
    assert_eq!(locks_of(world.pool(), closer.pid).await, 0);
    tx.commit().await.unwrap();
    // It was not closed: its holder still writes, and closes now.
    writer.begin(&open).await.commit().await.unwrap();
    closer.close(&open).await;
}

/// The refusal is committed at once: a share lock left standing would block the rightful holder.
#[tokio::test]
async fn a_refused_transaction_holds_no_lock_when_its_refusal_is_answered() {
    let world = World::new().await;
    let (zombie, rightful) = (world.client().await, world.client().await);
    let first = zombie.open(&permit("r", 1)).await;
    rightful.open(&permit("r", 2)).await;

    let refused = zombie
        .guard
        .begin(&first, "query", uuid::Uuid::nil(), HOLD)
        .await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    assert_eq!(locks_of(world.pool(), zombie.pid).await, 0);
    // It is not blocked: it would be named after the least wait that there is.
    let options = GuardOptions::default().with_wait(Duration::from_millis(1));
    let guard = Guard::with_options(rightful.guard.pool().clone(), options);
    guard.open(&permit("r", 3), HOLD).await.unwrap();
}
