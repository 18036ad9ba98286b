//! `fence.protect` waits for the writers of a table in flight, as long as they take; a migration bounds that by
//! `lock_timeout`, and then nothing of it has happened.

use promises::{Session, World, sqlstate, start};
use sqlx::AssertSqlSafe;

use crate::protected::{begin, changed, count, gaps, opened, refused, world};

/// Of two tables the second is being written to, in a partition, when the migration comes.
const TABLES: &str = "create table note (resource text);
    create table event (day int, resource text) partition by range (day);
    create table event_1 partition of event for values from (0) to (10)";

const MIGRATION: &str =
    "select fence.protect('note', 'resource'), fence.protect('event', 'resource')";

const TRIGGERS: &str = "select count(*) from pg_trigger where tgname like 'fence_guards%'";

/// The world, and a session in the middle of its write.
async fn with_a_writer_in_flight() -> (World, Session) {
    let world = World::new().await;
    let mut writer = world.session().await;
    writer.run(TABLES).await;
    writer
        .run("begin; insert into event_1 values (1, 'r')")
        .await;
    (world, writer)
}

#[tokio::test]
async fn a_migration_with_a_lock_timeout_fails_cleanly_behind_a_writer_and_protects_nothing_half() {
    let (world, mut writer) = with_a_writer_in_flight().await;
    let mut migration = world.session().await;
    migration
        .run("begin; set local lock_timeout = '50ms'")
        .await;
    assert_eq!(sqlstate(migration.attempt(MIGRATION).await), "55P03");
    migration.run("rollback").await;
    assert_eq!(count(&world, TRIGGERS).await, 0);
    assert!(gaps(&world).await.is_empty());

    // Nor does it leave anything in the way of the writer, or of its own next try.
    writer
        .run("insert into event values (2, 'r'); commit")
        .await;
    migration
        .run("begin; set local lock_timeout = '50ms'")
        .await;
    migration.run(MIGRATION).await;
    migration.run("commit").await;
    assert!(gaps(&world).await.is_empty());
    refused(writer.attempt("delete from event_1").await);
}

#[tokio::test]
async fn a_migration_without_one_waits_for_the_writer_and_later_writers_wait_behind_it() {
    let (world, mut writer) = with_a_writer_in_flight().await;
    let (mut migration, mut late) = (world.session().await, world.session().await);
    let (migration_pid, late_pid) = (migration.pid, late.pid);
    let protecting =
        start(async move { changed(&mut migration, "fence.protect('event', 'resource')").await });
    world.until_blocked(migration_pid, writer.pid).await;
    let writing = start(async move { late.attempt("insert into event_1 values (2, 'r')").await });
    world.until_blocked(late_pid, migration_pid).await;

    writer.run("commit").await;
    assert!(protecting.done().await);
    refused(writing.done().await);
    assert_eq!(count(&world, "select count(*) from event").await, 1);
}

#[tokio::test]
async fn a_column_that_got_another_type_while_the_migration_waited_is_judged_again() {
    let world = World::new().await;
    let (mut owner, mut migration) = (world.session().await, world.session().await);
    owner.run("create table note (resource text)").await;
    owner
        .run("begin; alter table note alter resource type int using 1")
        .await;
    let pid = migration.pid;
    let protecting = start(async move {
        let protect = "select fence.protect('note', 'resource')";
        migration.attempt(protect).await
    });
    world.until_blocked(pid, owner.pid).await;
    owner.run("commit").await;
    assert_eq!(sqlstate(protecting.done().await), "ZF004");
    assert_eq!(count(&world, TRIGGERS).await, 0);
}

/// A trigger gives way to another one here. With a lock that readers do not meet, the two would wait for each other as
/// soon as this one writes.
#[tokio::test]
async fn who_has_read_a_table_that_is_to_be_protected_otherwise_goes_on_to_write() {
    for (table, change, insert) in [
        (
            "note",
            "fence.protect('note', 'body')",
            "insert into note values (3, 'r')",
        ),
        (
            "event",
            "fence.protect('event', 'body')",
            "insert into event_1 values (5, 'r')",
        ),
        (
            "thing",
            "fence.protect('thing', 'other')",
            "insert into thing_child values ('r')",
        ),
    ] {
        let world = world().await;
        let (mut writer, permits) = opened(&world, &["r"]).await;
        let mut migration = world.session().await;
        migration.run("alter table thing add other text").await;
        begin(&mut writer, &[&permits[0]]).await;
        writer
            .run(AssertSqlSafe(format!("select from {table}")))
            .await;
        let pid = migration.pid;
        let protecting = start(async move { changed(&mut migration, change).await });
        world.until_blocked(pid, writer.pid).await;
        writer.run(insert).await;
        writer.run("commit").await;
        assert!(protecting.done().await, "{table}");
        assert!(gaps(&world).await.is_empty());
    }
}

/// Where nothing gives way, readers are left alone.
#[tokio::test]
async fn who_reads_a_table_does_not_wait_for_its_first_protection() {
    let (world, mut writer) = with_a_writer_in_flight().await;
    let (mut migration, mut reader) = (world.session().await, world.session().await);
    let pid = migration.pid;
    let protecting =
        start(async move { changed(&mut migration, "fence.protect('event', 'resource')").await });
    world.until_blocked(pid, writer.pid).await;
    reader
        .run("set lock_timeout = '1ms'; select from event")
        .await;
    writer.run("commit").await;
    assert!(protecting.done().await);
}
