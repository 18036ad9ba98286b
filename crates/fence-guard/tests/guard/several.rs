//! A guarded transaction under several openings, and what works in one: queries, savepoints, macros.

use std::sync::Arc;

use fence_guard::{Error, OpenPermit, Reason, StoreError, TriggerReason, TriggerRefusal};
use promises::{Client, HOLD, MustRefuse, World, permit};
use sqlx::{Connection, Executor};
use uuid::Uuid;

use crate::protected::{count, world};

async fn open_both(client: &Client) -> [Arc<OpenPermit>; 2] {
    [
        client.open(&permit("r", 1)).await,
        client.open(&permit("s", 1)).await,
    ]
}

const MOVE: &str = "update note set resource = 's' where id = 1";

#[tokio::test]
async fn a_transaction_of_two_openings_writes_rows_of_both_and_moves_one() {
    let world = world().await;
    let client = world.client().await;
    let [r, s] = open_both(&client).await;
    // In any order: the guard locks them in the order of their names.
    let begun = client
        .guard
        .begin_all(&[&s, &r], "move", Uuid::nil(), HOLD)
        .await;
    let mut tx = begun.unwrap();
    tx.execute(MOVE).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        count(&world, "select count(*) from note where resource = 's'").await,
        2
    );

    // One of them is not both.
    let mut tx = client.begin(&r).await;
    let error = tx
        .execute("update note set resource = 'r' where id = 1")
        .await
        .unwrap_err();
    let refusal = TriggerRefusal::of(&error).unwrap();
    assert_eq!(refusal.reason(), TriggerReason::NotAdmitted);
    assert_eq!(
        (refusal.table(), refusal.operation(), refusal.resource()),
        ("public.note", "UPDATE", Some("s"))
    );
    assert_eq!(refusal.mark(), Some(s.permit().fence().as_floor()));
    // Whoever has no permit for a resource is not told who holds it.
    assert_eq!(refusal.opened_by(), None);
    assert!(
        refusal.to_string().contains("not admitted for s"),
        "{refusal}"
    );
    assert!(tx.commit().await.is_err());
}

#[tokio::test]
async fn of_two_openings_the_overtaken_one_refuses_both_and_is_the_one_that_is_told() {
    let world = world().await;
    let client = world.client().await;
    let [r, s] = open_both(&client).await;
    client.open(&permit("s", 2)).await;
    let begun = client
        .guard
        .begin_all(&[&r, &s], "move", Uuid::nil(), HOLD)
        .await;
    let refusal = begun.must_refuse();
    assert_eq!(
        (refusal.presented(), refusal.reason()),
        (s.permit(), Reason::Stale)
    );
    // It is a row, and holds nothing up.
    let rows = world.refusals().await;
    assert_eq!(
        (rows.len(), &*rows[0].resource, &*rows[0].operation),
        (1, "s", "move")
    );
    client.open(&permit("r", 2)).await;
}

#[tokio::test]
async fn each_successor_waits_for_a_transaction_of_two_openings() {
    for name in ["r", "s"] {
        let world = World::new().await;
        let (client, new) = (world.client().await, world.client().await);
        let [r, s] = open_both(&client).await;
        let begun = client
            .guard
            .begin_all(&[&r, &s], "move", Uuid::nil(), HOLD)
            .await;
        let opening = new.start_open(&permit(name, 2));
        world.until_blocked(new.pid, client.pid).await;
        begun.unwrap().commit().await.unwrap();
        opening.done().await.unwrap();
        let again = client
            .guard
            .begin_all(&[&r, &s], "move", Uuid::nil(), HOLD)
            .await;
        assert_eq!(again.must_refuse().presented().resource().as_str(), name);
    }
}

#[tokio::test]
async fn no_opening_too_many_and_two_of_one_resource_are_misuses() {
    let world = World::new().await;
    let client = world.client().await;
    let r = client.open(&permit("r", 1)).await;
    for opens in [vec![], vec![&*r, &*r], vec![&*r; 65]] {
        match client
            .guard
            .begin_all(&opens, "move", Uuid::nil(), HOLD)
            .await
        {
            Err(Error::Store(StoreError::Misuse { sqlstate, .. })) => assert_eq!(sqlstate, "ZF004"),
            other => panic!("{other:?}"),
        }
    }
}

/// A savepoint ends what was written in it, and not the admission, which came before it.
#[tokio::test]
async fn savepoints_nest_in_a_guarded_transaction() {
    let world = world().await;
    let client = world.client().await;
    let [r, _s] = open_both(&client).await;
    let mut tx = client.begin(&r).await;
    let mut inner = Connection::begin(&mut *tx).await.unwrap();
    inner
        .execute("insert into note values (3, 'r')")
        .await
        .unwrap();
    let error = inner
        .execute("insert into note values (4, 's')")
        .await
        .unwrap_err();
    assert!(TriggerRefusal::of(&error).is_some());
    inner.rollback().await.unwrap();

    let mut inner = Connection::begin(&mut *tx).await.unwrap();
    inner
        .execute("insert into note values (5, 'r')")
        .await
        .unwrap();
    let mut innermost = Connection::begin(&mut *inner).await.unwrap();
    innermost
        .execute("insert into note values (6, 'r')")
        .await
        .unwrap();
    drop(innermost);
    inner.commit().await.unwrap();
    tx.commit().await.unwrap();
    let mut ids: Vec<i32> = sqlx::query_scalar("select id from note")
        .fetch_all(world.pool())
        .await
        .unwrap();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 5]);
}

#[derive(sqlx::FromRow)]
struct Note {
    id: i32,
    body: String,
}

/// The macros check a query when they are compiled, by a file in `.sqlx` or by whatever database is named to
/// the compiler: so this one needs no table.
#[tokio::test]
async fn queries_and_their_macros_run_in_a_guarded_transaction() {
    let world = world().await;
    let client = world.client().await;
    let [r, _s] = open_both(&client).await;
    let mut tx = client.begin(&r).await;
    let next = sqlx::query!("select $1::bigint + 1 as next", 41_i64);
    assert_eq!(next.fetch_one(&mut *tx).await.unwrap().next, Some(42));
    let admitted = sqlx::query_scalar!("select current_setting('fence.admitted') as admitted");
    let admitted = admitted.fetch_one(&mut *tx).await.unwrap().unwrap();
    assert!(admitted.ends_with(" r"), "{admitted}");

    sqlx::query("update note set body = $1 where id = 1")
        .bind("x")
        .execute(&mut *tx)
        .await
        .unwrap();
    let note: Note = sqlx::query_as("select id, body from note where resource = $1")
        .bind("r")
        .fetch_one(&mut *tx)
        .await
        .unwrap();
    assert_eq!((note.id, &*note.body), (1, "x"));
    tx.commit().await.unwrap();
}

/// Every other error is none of a trigger's.
#[tokio::test]
async fn an_error_of_another_kind_is_no_refusal_of_a_trigger() {
    let world = world().await;
    let client = world.client().await;
    let [r, _s] = open_both(&client).await;
    for statement in [
        "select nothing",
        "insert into note values (1, 'r')",
        "do $$ begin raise exception using errcode = 'ZF007', message = 'no detail'; end $$",
        "do $$ begin raise exception using errcode = 'ZF007', message = 'no json', detail = 'stale'; end $$",
        "do $$ begin raise exception using errcode = 'ZF006', detail = '{\"reason\": \"stale\"}'; end $$",
    ] {
        let mut tx = client.begin(&r).await;
        let error = tx.execute(statement).await.unwrap_err();
        assert_eq!(TriggerRefusal::of(&error), None, "{statement}");
        tx.rollback().await.unwrap();
    }
    assert_eq!(TriggerRefusal::of(&sqlx::Error::RowNotFound), None);
}
