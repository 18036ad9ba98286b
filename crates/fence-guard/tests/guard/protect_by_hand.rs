//! Who sets the setting by hand, rather than be admitted, keeps a successor out no longer than whoever was admitted:
//! under an invented permit not at all, and under its own as one that is named, and is ended when it stands still.

use std::time::Duration;

use fence_guard::{Error, Guard, GuardOptions, Permit};
use promises::{Client, HOLD, charge, permit, same_number, sqlstate};

use crate::protected::{begin, carried, count, forge, opened, world};

const WRITE: &str = "insert into note values (3, 'r')";

/// What the guard calls a lock that does not come.
const LOCKED: &str = "55P03";

/// An opening that waits for hardly anybody.
async fn open_at_once(client: &Client, permit: &Permit) -> Result<(), Error> {
    let options = GuardOptions::default().with_wait(Duration::from_millis(1));
    let guard = Guard::with_options(client.guard.pool().clone(), options);
    guard.open(permit, HOLD).await.map(drop)
}

/// The processes that an opening had to wait for.
fn blockers_of(opening: Result<(), Error>) -> Vec<Option<i32>> {
    match opening {
        Err(Error::Blocked { blockers }) => blockers.iter().map(|b| b.pid).collect(),
        other => panic!("it had to be blocked: {other:?}"),
    }
}

/// The transaction goes on, as a caller of the function sees no error.
#[tokio::test]
async fn an_invented_permit_keeps_no_successor_out() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    session.run("begin").await;
    for invented in [same_number(&permits[0]), permit("r", 2), permit("r", 9)] {
        forge(&mut session, &carried(&invented)).await;
        session
            .run("do $$ begin assert fence.check_write('r') is not null; end $$")
            .await;
    }
    open_at_once(&world.client().await, &permit("r", 3))
        .await
        .unwrap();
    session.run("rollback").await;
}

#[tokio::test]
async fn a_permit_that_was_set_by_hand_and_holds_is_named_and_limited() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    let alice = world.account("alice", 1).await;
    let client = world.client().await;
    // By the trigger of a protected table, and by a function that both admits and writes.
    for by_ledger in [false, true] {
        session.run("begin").await;
        forge(&mut session, &carried(&permits[0])).await;
        if by_ledger {
            let charged = session.charge(&permits[0], &charge(&alice, 1)).await;
            assert_eq!(charged.unwrap().outcome, "applied");
        } else {
            session.run(WRITE).await;
        }
        let limits = "do $$ begin
            assert current_setting('idle_in_transaction_session_timeout') = '30s';
            assert current_setting('lock_timeout') = '10s';
        end $$";
        session.run(limits).await;
        let opening = open_at_once(&client, &permit("r", 2)).await;
        assert_eq!(blockers_of(opening), [Some(session.pid)]);
        session.run("rollback").await;
    }
    // What the session has set itself stays.
    session
        .run("begin; set local idle_in_transaction_session_timeout = '2min'")
        .await;
    forge(&mut session, &carried(&permits[0])).await;
    session.run(WRITE).await;
    session
        .run("do $$ begin assert current_setting('idle_in_transaction_session_timeout') = '2min'; end $$")
        .await;
    session.run("rollback").await;
}

/// It may have written already: waiting for the opening, which waits for somebody who waits for its rows, would be a
/// deadlock.
#[tokio::test]
async fn a_permit_that_was_set_by_hand_does_not_queue_behind_an_opening() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    let alice = world.account("alice", 1).await;
    let mut opener = world.session().await;
    opener.run("begin").await;
    opener.open(&permit("r", 2)).await.unwrap();

    session.run("begin").await;
    forge(&mut session, &carried(&permits[0])).await;
    assert_eq!(sqlstate(session.attempt(WRITE).await), LOCKED);
    session.run("rollback; begin").await;
    forge(&mut session, &carried(&permits[0])).await;
    let charged = session.charge(&permits[0], &charge(&alice, 1)).await;
    assert_eq!(sqlstate(charged), LOCKED);
    session.run("rollback").await;
    opener.run("rollback").await;
}

/// Its place was taken when it was admitted.
#[tokio::test]
async fn who_was_admitted_writes_also_while_an_opening_waits_for_it() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    let new = world.client().await;
    begin(&mut session, &[&permits[0]]).await;
    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, session.pid).await;
    session.run(WRITE).await;
    session.run("commit").await;
    opening.done().await.unwrap();
    assert_eq!(count(&world, "select count(*) from note").await, 3);
}
