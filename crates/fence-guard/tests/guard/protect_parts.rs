//! What comes along with a protected table: its partitions and children, those that are attached later too, and
//! what is said of the parts that Postgres leaves open.

use fence_guard::TriggerReason;
use promises::sqlstate;
use sqlx::AssertSqlSafe;

use crate::protected::{NOT_ADMITTED, changed, gaps, opened, refused, told_after, world};

#[tokio::test]
async fn a_truncate_is_refused_always_on_the_table_its_partitions_and_children() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r", "s"]).await;
    for table in [
        "note",
        "event",
        "event_1",
        "thing",
        "thing_child",
        "only thing",
        "sample",
        "dataset cascade",
    ] {
        for admitted in [false, true] {
            session.run("begin").await;
            if admitted {
                session.admit(&[&permits[0], &permits[1]]).await.unwrap();
            }
            let truncate = AssertSqlSafe(format!("truncate {table}"));
            let refusal = refused(session.attempt(truncate).await);
            assert_eq!(refusal.reason(), TriggerReason::Truncate, "{table}");
            assert_eq!(
                (refusal.operation(), refusal.resource()),
                ("TRUNCATE", None)
            );
            session.run("rollback").await;
        }
    }
}

/// Postgres copies row triggers to a partition that comes later, and no truncate triggers; to a child in the
/// old style it copies nothing.
#[tokio::test]
async fn a_partition_attached_later_is_fenced_row_by_row_and_named_until_it_is_protected_again() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run("create table event_2 (like event including defaults); insert into event_2 values (15, 's')")
        .await;
    session
        .run("alter table event attach partition event_2 for values from (10) to (20)")
        .await;
    for write in [
        "insert into event_2 values (11, 's')",
        "insert into event values (11, 's')",
        "delete from event_2",
    ] {
        assert_eq!(
            refused(session.attempt(write).await).reason(),
            NOT_ADMITTED,
            "{write}"
        );
    }
    assert_eq!(
        gaps(&world).await,
        ["fence_guards_truncate is missing on protected table public.event_2"]
    );
    // That is what it means.
    session.run("begin; truncate event_2; rollback").await;

    assert!(changed(&mut session, "fence.protect('event', 'about')").await);
    assert!(gaps(&world).await.is_empty());
    let refusal = refused(session.attempt("truncate event_2").await);
    assert_eq!(
        (refusal.reason(), refusal.table()),
        (TriggerReason::Truncate, "public.event_2")
    );
}

#[tokio::test]
async fn a_child_that_comes_later_is_named_until_its_parent_is_protected_again() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run("create table thing_late () inherits (thing_child)")
        .await;
    assert_eq!(
        gaps(&world).await,
        [
            "fence_guards_rows is missing on protected table public.thing_late",
            "fence_guards_truncate is missing on protected table public.thing_late",
        ]
    );
    assert!(changed(&mut session, "fence.protect('thing', 'resource')").await);
    assert!(gaps(&world).await.is_empty());
    let refusal = refused(session.attempt("insert into thing_late values ('r')").await);
    assert_eq!(refusal.table(), "public.thing_late");
}

/// The copies of the parent's triggers take the place of its own.
#[tokio::test]
async fn a_partition_that_was_protected_by_itself_is_protected_with_its_parent() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run("select fence.unprotect('event'), fence.protect('event_1', 'about')")
        .await;
    assert!(changed(&mut session, "fence.protect('event', 'about')").await);
    assert!(gaps(&world).await.is_empty());
    for write in [
        "insert into event_1 values (5, 'r')",
        "insert into event values (5, 'r')",
    ] {
        assert_eq!(refused(session.attempt(write).await).reason(), NOT_ADMITTED);
    }
    assert!(changed(&mut session, "fence.unprotect('event')").await);
    session.run("truncate event").await;
}

/// An attached table brings a trigger of that name of its own: Postgres refuses, and nothing is left open.
#[tokio::test]
async fn what_was_protected_by_itself_is_unprotected_before_it_is_attached() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run("create table event_2 (like event including defaults); select fence.protect('event_2', 'about')")
        .await;
    let attach = "alter table event attach partition event_2 for values from (10) to (20)";
    assert_eq!(sqlstate(session.attempt(attach).await), "42710");
    session
        .run("begin; select fence.unprotect('event_2')")
        .await;
    session.run(attach).await;
    session
        .run("select fence.protect('event', 'about'); commit")
        .await;
    assert!(gaps(&world).await.is_empty());
    refused(
        session
            .attempt("insert into event_2 values (11, 's')")
            .await,
    );
}

/// One trigger judges a row. What is a part of two protected tables would go by whichever was protected last.
#[tokio::test]
async fn a_part_of_two_protected_tables_goes_by_one_column() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run(
            "create table one (resource text); create table two (about text);
             create table same (resource text); create table shared () inherits (one, two);
             select fence.protect('one', 'resource')",
        )
        .await;
    for call in [
        "fence.protect('two', 'about')",
        "fence.protect('shared', 'about')",
    ] {
        let call = AssertSqlSafe(format!("select {call}"));
        let error = session.attempt(call).await.unwrap_err();
        let told = "public.shared is a part of public.one, which is protected by column resource";
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(sqlstate(Err::<(), _>(error)), "ZF004");
    }
    assert!(gaps(&world).await.is_empty());
    // It became one later.
    let later = "alter table shared no inherit two; select fence.protect('two', 'about');
        alter table shared inherit two";
    let told = "trigger: fence_guards_rows can judge by one column only, on protected table public.shared: \
                it is a part of public.one (resource) and of public.two (about)";
    let after = told_after(&world, later).await;
    assert!(after.contains(&told.to_owned()), "{after:?}");
    // By the same column both guard it.
    session
        .run("alter table shared no inherit two; alter table shared inherit same")
        .await;
    assert!(changed(&mut session, "fence.protect('same', 'resource')").await);
    assert!(gaps(&world).await.is_empty());
    assert!(!changed(&mut session, "fence.protect('one', 'resource')").await);
}

/// A crash empties it, and fires nothing.
#[tokio::test]
async fn an_unlogged_table_is_not_protected_and_an_unlogged_part_is_named() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run(
            "create unlogged table draft (resource text); create table whole (resource text);
             create unlogged table draft_child () inherits (whole)",
        )
        .await;
    for (table, unlogged) in [("draft", "draft"), ("whole", "draft_child")] {
        let protect = AssertSqlSafe(format!("select fence.protect('{table}', 'resource')"));
        let error = session.attempt(protect).await.unwrap_err();
        let told = format!("public.{unlogged} is unlogged");
        assert!(error.to_string().contains(&told), "{error}");
        assert_eq!(sqlstate(Err::<(), _>(error)), "ZF004");
    }
    for (change, part, whole) in [
        ("alter table note set unlogged", "note", "is"),
        (
            "create unlogged table event_2 partition of event for values from (10) to (20)",
            "event_2",
            "a part of",
        ),
    ] {
        let table = part.trim_end_matches("_2");
        let told = format!(
            "unlogged table: public.{part} is unlogged, emptied by a crash, and {whole} \
             protected table public.{table}"
        );
        let after = told_after(&world, change).await;
        assert!(after.contains(&told), "{change}: {after:?}");
    }
}
