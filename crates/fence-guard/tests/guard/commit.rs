//! Applied, refused, unknown: a commit that was answered `Ok` has written, whatever happened in its
//! transaction before.

use fence_guard::{Error, GuardOptions, StoreError};
use promises::{World, permit};
use sqlx::{AssertSqlSafe, Executor};

/// Postgres answers the COMMIT of a transaction in which a statement has failed with success, and rolls
/// it back. Whoever takes a duplicate for "already there" and goes on must not be told "written".
#[tokio::test]
async fn a_commit_after_a_failed_statement_is_an_error_and_nothing_was_written() {
    let world = World::new().await;
    let client = world.client().await;
    world
        .session()
        .await
        .run("create table notes (note text primary key)")
        .await;
    let open = client.open(&permit("r", 1)).await;

    let mut tx = client.begin(&open).await;
    tx.execute("insert into notes values ('once')")
        .await
        .unwrap();
    tx.execute("insert into notes values ('once')")
        .await
        .unwrap_err();
    let committed = tx.commit().await;
    assert!(
        matches!(committed, Err(StoreError::Failed(_))),
        "{committed:?}"
    );
    let notes: i64 = sqlx::query_scalar("select count(*) from notes")
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(notes, 0);

    // Its locks are gone, and the connection is good for the next one.
    client.begin(&open).await.commit().await.unwrap();
}

/// A lease that has just run out is the guard's to judge, not a mistake of the caller.
#[tokio::test]
async fn an_opening_that_is_valid_for_no_time_at_all_is_an_opening() {
    let world = World::new().await;
    let client = world.client().await;
    let none = std::time::Duration::ZERO;
    let open = client.guard.open(&permit("r", 1), none).await.unwrap();
    assert_eq!(open.permit().fence().get(), 1);
    let options = GuardOptions::default().with_wait(none);
    let guard = fence_guard::Guard::with_options(client.guard.pool().clone(), options);
    guard.open(&permit("r", 2), none).await.unwrap();
}

/// The role's default must not turn every guarded transaction into a misuse.
#[tokio::test]
async fn a_guarded_transaction_is_read_committed_whatever_the_default_is() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    client
        .guard
        .pool()
        .execute("set default_transaction_isolation = 'serializable'")
        .await
        .unwrap();
    client.begin(&open).await.commit().await.unwrap();
    // A call on its own takes the session's default, and is refused.
    let called = client.guard.open(&permit("r", 2), promises::HOLD).await;
    match called {
        Err(Error::Store(StoreError::Misuse { sqlstate, .. })) => assert_eq!(sqlstate, "ZF001"),
        other => panic!("{other:?}"),
    }
}

/// The opening that a lost reply had answered, taken from the row: with its takeover.
#[tokio::test]
async fn an_opening_that_is_sent_again_is_told_as_it_was() {
    let world = World::new().await;
    let client = world.client().await;
    client.open(&permit("r", 1)).await;
    let second = permit("r", 2);
    let first_answer = client.open(&second).await;
    let again = client.open(&second).await;
    assert!(first_answer.is_takeover() && again.is_takeover());
    assert_eq!(first_answer.seq(), again.seq());
}

/// A setting that carries no permits is no reason to fail otherwise than as a misuse.
#[tokio::test]
async fn a_setting_that_carries_garbage_admits_nothing() {
    let world = World::new().await;
    let mut session = world.session().await;
    for garbage in [
        "x",
        "[",
        "{\"a\":",
        "1 2 3",
        "'; drop table fence.resource; --",
    ] {
        let set = format!("set fence.admitted = '{}'", garbage.replace('\'', "''"));
        session.run(AssertSqlSafe(set)).await;
        let charged = session
            .charge(
                &permit("r", 1),
                &promises::charge(&promises::account("alice"), 1),
            )
            .await;
        assert_eq!(promises::sqlstate(charged), "ZF006", "{garbage}");
    }
}

/// What comes after such a statement runs on its own, one commit each, and nobody guards it.
#[tokio::test]
async fn a_commit_of_a_transaction_that_a_statement_has_ended_is_a_misuse() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    for ending in ["rollback", "commit"] {
        let mut tx = client.begin(&open).await;
        tx.execute(ending).await.unwrap();
        match tx.commit().await {
            Err(StoreError::Misuse { sqlstate, .. }) => assert_eq!(sqlstate, "ZF002", "{ending}"),
            other => panic!("{ending}: {other:?}"),
        }
    }
    client.begin(&open).await.commit().await.unwrap();
}
