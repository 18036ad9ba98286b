//! `fence.protect`, row by row: however a row is written, its transaction must be admitted for the resource
//! that the row names, as it is stored.

use promises::Session;
use sqlx::AssertSqlSafe;

use crate::protected::{NOT_ADMITTED, begin, opened, refused, world};
use fence_guard::TriggerReason;

/// A statement that writes a row of resource s, and no other.
const WRITES_OF_S: &[&str] = &[
    "insert into note values (3, 's')",
    "update note set body = 'x' where id = 2",
    "update note set id = id where id = 2",
    "delete from note where id = 2",
    "insert into note values (2, 's') on conflict (id) do update set body = 'x'",
    // The row that is hit is of another resource than the one that was to be inserted.
    "insert into note values (2, 'r') on conflict (id) do update set body = 'x'",
    "merge into note n using (values (2)) v (id) on n.id = v.id when matched then update set body = 'x'",
    "merge into note n using (values (2)) v (id) on n.id = v.id when matched then delete",
    "merge into note n using (values (3)) v (id) on n.id = v.id when not matched then insert values (3, 's')",
    "with gone as (delete from note where id = 2 returning id) select count(*) from gone",
    "insert into event values (1, 's')",
    "insert into event_1 values (1, 's')",
    "update event set body = 'x' where about = 's'",
    "delete from event_1 where about = 's'",
    "insert into thing values ('s')",
    "insert into thing_child values ('s')",
    // Through the parent, the child's rows.
    "update thing set resource = resource where resource = 's'",
    "delete from thing where resource = 's'",
    "delete from dataset where name = 's'",
    "insert into sample values ('s', 2)",
    "do $$ begin execute 'update note set body = ''x'' where id = 2'; end $$",
];

/// Runs a statement in the transaction, and takes back what it did.
async fn attempt(session: &mut Session, statement: &str) -> Result<(), sqlx::Error> {
    session.run("savepoint before").await;
    let outcome = session.attempt(AssertSqlSafe(statement.to_owned())).await;
    session.run("rollback to before").await;
    outcome
}

#[tokio::test]
async fn a_row_is_written_only_by_a_transaction_that_is_admitted_for_its_resource() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r", "s"]).await;
    for (who, admitted) in [("nobody", vec![]), ("r", vec![&permits[0]])] {
        session.run("begin").await;
        if !admitted.is_empty() {
            session.admit(&admitted).await.unwrap();
        }
        for statement in WRITES_OF_S {
            let refusal = refused(attempt(&mut session, statement).await);
            assert_eq!(refusal.reason(), NOT_ADMITTED, "{who}: {statement}");
            assert_eq!(refusal.resource(), Some("s"), "{who}: {statement}");
            assert_eq!(refusal.presented(), None, "{who}: {statement}");
        }
        session.run("rollback").await;
    }
    for admitted in [vec![&permits[1]], vec![&permits[0], &permits[1]]] {
        begin(&mut session, &admitted).await;
        for statement in WRITES_OF_S {
            let outcome = attempt(&mut session, statement).await;
            outcome.unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        session.run("rollback").await;
    }
}

/// Rows that come in by COPY go past rules and views, not past triggers.
#[tokio::test]
async fn copied_rows_are_rows() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    for (resource, passes) in [("r", true), ("s", false)] {
        begin(&mut session, &[&permits[0]]).await;
        let mut copy = session
            .connection
            .copy_in_raw("copy note (id, resource) from stdin")
            .await
            .unwrap();
        copy.send(format!("10\tr\n11\t{resource}\n").into_bytes())
            .await
            .unwrap();
        let copied = copy.finish().await;
        if passes {
            assert_eq!(copied.unwrap(), 2);
        } else {
            let refusal = refused(copied);
            assert_eq!(
                (refusal.resource(), refusal.operation()),
                (Some("s"), "INSERT")
            );
        }
        session.run("rollback").await;
    }
}

/// The one that it leaves loses a row, the one that it comes to gets one.
#[tokio::test]
async fn a_row_moves_from_one_resource_to_another_under_permits_of_both() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r", "s"]).await;
    for moves in [
        "update note set resource = 's' where id = 1",
        "update event set about = 's' where about = 'r'",
        "update thing set resource = 's' where resource = 'r'",
        // From one partition to another it is a delete and an insert.
        "create table event_2 partition of event for values from (10) to (20);
         update event set day = 15, about = 's' where about = 'r'",
    ] {
        for (alone, lacking) in [(&permits[0], "s"), (&permits[1], "r")] {
            begin(&mut session, &[alone]).await;
            let refusal = refused(session.attempt(moves).await);
            assert!(
                refusal.resource().unwrap().starts_with(lacking),
                "{moves}: {refusal}"
            );
            session.run("rollback").await;
        }
        begin(&mut session, &[&permits[1], &permits[0]]).await;
        session.run(moves).await;
        session.run("rollback").await;
    }
}

#[tokio::test]
async fn a_cascade_carries_the_fence_to_the_rows_that_it_takes_along() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r", "s"]).await;
    begin(&mut session, &[&permits[0]]).await;
    let refusal = refused(session.attempt("delete from dataset").await);
    assert_eq!(
        (refusal.table(), refusal.operation(), refusal.resource()),
        ("public.sample", "DELETE", Some("s"))
    );
    session.run("rollback").await;
    begin(&mut session, &[&permits[0]]).await;
    let rename = "update dataset set name = 'elsewhere' where name = 'r'";
    let refusal = refused(session.attempt(rename).await);
    assert_eq!(
        (refusal.operation(), refusal.resource()),
        ("UPDATE", Some("elsewhere"))
    );
    session.run("rollback").await;
    begin(&mut session, &[&permits[0], &permits[1]]).await;
    session.run("delete from dataset; commit").await;
    assert_eq!(
        crate::protected::count(&world, "select count(*) from sample").await,
        0
    );
}

/// Whatever comes before the row is stored can still change it: only what is stored counts.
#[tokio::test]
async fn a_row_is_judged_by_what_a_trigger_of_the_service_made_of_it() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r", "s"]).await;
    let rewrites = include_str!("sql/rewrites.sql");
    session.run(rewrites).await;
    // It says r, and would be stored as s.
    for write in [
        "insert into note values (3, 'r')",
        "update note set body = 'x' where id = 1",
    ] {
        begin(&mut session, &[&permits[0]]).await;
        assert_eq!(
            refused(session.attempt(write).await).resource(),
            Some("s"),
            "{write}"
        );
        session.run("rollback").await;
    }
    begin(&mut session, &[&permits[1]]).await;
    session
        .run("insert into note values (3, 'r'); rollback")
        .await;
}

#[tokio::test]
async fn a_generated_column_can_name_the_resource() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["user:1"]).await;
    begin(&mut session, &[&permits[0]]).await;
    session
        .run("update account set seen = 1 where id = 1")
        .await;
    let refusal = refused(session.attempt("update account set seen = 1").await);
    assert_eq!(refusal.resource(), Some("user:2"));
}

#[tokio::test]
async fn a_row_without_a_resource_is_refused_to_everybody() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    for admitted in [false, true] {
        for write in [
            "insert into note values (3, null)",
            "update note set resource = null where id = 1",
            "insert into event values (1, null)",
        ] {
            session.run("begin").await;
            if admitted {
                session.admit(&[&permits[0]]).await.unwrap();
            }
            let refusal = refused(session.attempt(write).await);
            let expected = match (admitted, write.starts_with("update")) {
                // Its old resource is told first.
                (false, true) => NOT_ADMITTED,
                _ => TriggerReason::NoResource,
            };
            assert_eq!(refusal.reason(), expected, "{write}: {refusal}");
            session.run("rollback").await;
        }
    }
}

/// Names are compared byte by byte, and none is part of another.
#[tokio::test]
async fn a_permit_of_a_name_that_looks_alike_is_of_another_resource() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["a b", "é", "%"]).await;
    begin(&mut session, &permits.iter().collect::<Vec<_>>()).await;
    for other in [
        "b",
        "a",
        "A b",
        "a b ",
        " a b",
        "e\u{301}",
        "a%",
        "",
        "a b\u{0a}é",
    ] {
        session.run("savepoint before").await;
        let insert = sqlx::query("insert into note values (9, $1)").bind(other);
        let refusal = refused(insert.execute(&mut session.connection).await);
        assert_eq!(
            (refusal.reason(), refusal.resource()),
            (NOT_ADMITTED, Some(other))
        );
        session.run("rollback to before").await;
    }
    for (id, mine) in ["a b", "é", "%"].into_iter().enumerate() {
        let insert = sqlx::query("insert into note values ($1, $2)")
            .bind(10 + i32::try_from(id).unwrap())
            .bind(mine);
        insert.execute(&mut session.connection).await.unwrap();
    }
}
