//! What holds for every function that writes, for each of them: READ COMMITTED or nothing, commits that are durable, a
//! search path and temporary objects that mislead nobody, and the sender's own word for what it calls.

use promises::{Session, World, sqlstate};
use sqlx::AssertSqlSafe;

use crate::arguments::{Outer, outer_calls};
use crate::bad_input::{call, world};

/// Those of both schemas that take their sender's word for what it meant to call: the last argument is that word. Not
/// `fence.mark`, which takes it as well, but reads one row and writes nothing.
fn writers() -> Vec<&'static Outer> {
    let named = |outer: &&Outer| {
        let (_, name) = outer.name.split_once('.').unwrap_or_default();
        let last = outer.arguments.last();
        let is_named = last.is_some_and(|argument| argument.good == format!("'{name}'"));
        is_named && outer.name != "fence.mark"
    };
    let writers: Vec<&Outer> = outer_calls().filter(named).collect();
    assert!(writers.len() >= 17, "{}", writers.len());
    writers
}

#[tokio::test]
async fn each_raises_outside_read_committed() {
    let (_world, mut session) = world().await;
    for level in ["repeatable read", "serializable"] {
        for outer in writers() {
            let begin = format!("begin isolation level {level}");
            session.run(AssertSqlSafe(begin)).await;
            let outcome = session
                .attempt(AssertSqlSafe(call(outer, usize::MAX, "")))
                .await;
            assert_eq!(sqlstate(outcome), "ZF001", "{} under {level}", outer.name);
            session.run("rollback").await;
        }
    }
}

#[tokio::test]
async fn each_commits_durably_also_in_a_session_that_asks_for_less() {
    let (_world, mut session) = world().await;
    session.run("set synchronous_commit = off").await;
    for outer in writers() {
        session.run("begin").await;
        session
            .run(AssertSqlSafe(call(outer, usize::MAX, "")))
            .await;
        let level: String = sqlx::query_scalar("show synchronous_commit")
            .fetch_one(&mut session.connection)
            .await
            .unwrap();
        assert_eq!(level, "on", "{}", outer.name);
        session.run("rollback").await;
    }
}

#[tokio::test]
async fn none_is_misled_by_a_search_path_or_temporary_objects() {
    let (world, mut session) = world().await;
    session.run(include_str!("sql/hostile_path.sql")).await;
    session
        .run("create temporary table hold (seq bigint)")
        .await;
    session
        .run("create temporary table refused_write (seq bigint)")
        .await;
    for outer in outer_calls() {
        assert_answered(&mut session, outer).await;
    }
    assert_sound(&world).await;
}

async fn assert_answered(session: &mut Session, outer: &Outer) {
    session.run("begin").await;
    let outcome = session.attempt(AssertSqlSafe(call(outer, usize::MAX, "")));
    if let Err(error) = outcome.await {
        panic!("{}: {error}", outer.name);
    }
    session.run("rollback").await;
}

async fn assert_sound(world: &World) {
    let findings = world.findings().await;
    assert!(findings.is_empty(), "{findings:?}");
}
