//! What is left on a partition that was detached. Postgres takes the copies of row triggers from it, in every way of
//! detaching; what stays is what `fence.protect` put on the partition itself.

use fence_guard::TriggerReason;
use promises::World;
use sqlx::AssertSqlSafe;

use crate::protected::{NOT_ADMITTED, changed, gaps, refused, world};

const HALF: [&str; 2] = [
    "fence_guards_column is missing on protected table public.event_1",
    "fence_guards_rows is missing on protected table public.event_1",
];

#[tokio::test]
async fn a_partition_that_was_protected_and_detached_is_named_as_half_protected() {
    for how in ["", " concurrently"] {
        let world = world().await;
        let mut session = world.session().await;
        let detach = format!("alter table event detach partition event_1{how}");
        session.run(AssertSqlSafe(detach)).await;
        assert_eq!(gaps(&world).await, HALF, "{how}");
        let truncate = refused(session.attempt("truncate event_1").await);
        assert_eq!(truncate.reason(), TriggerReason::Truncate);
        // That is what it means.
        session.run("insert into event_1 values (1, 's')").await;

        assert!(changed(&mut session, "fence.protect('event_1', 'about')").await);
        assert!(gaps(&world).await.is_empty());
        let write = session.attempt("insert into event_1 values (1, 's')").await;
        assert_eq!(refused(write).reason(), NOT_ADMITTED);
    }
}

#[tokio::test]
async fn a_partition_that_is_detached_and_protected_in_one_transaction_has_no_moment_without() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run(
            "begin; alter table event detach partition event_1;
              select fence.protect('event_1', 'about'); commit",
        )
        .await;
    assert!(gaps(&world).await.is_empty());
    refused(session.attempt("delete from event_1").await);
}

#[tokio::test]
async fn a_detached_partition_that_is_given_up_is_named_no_more() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run("alter table event detach partition event_1")
        .await;
    assert!(changed(&mut session, "fence.unprotect('event_1')").await);
    assert!(gaps(&world).await.is_empty());
}

/// Nothing stays on it, so the catalogue cannot show it: it has to be looked at before.
#[tokio::test]
async fn a_partition_that_was_attached_later_is_named_only_until_it_is_detached() {
    let world = world().await;
    let mut session = world.session().await;
    attach_late(&world).await;
    assert_eq!(
        gaps(&world).await,
        ["fence_guards_truncate is missing on protected table public.event_2"]
    );
    session
        .run("alter table event detach partition event_2")
        .await;
    assert!(gaps(&world).await.is_empty());
    session
        .run("insert into event_2 values (15, 's'); truncate event_2")
        .await;

    // Protected while it was attached, it is named afterwards.
    session
        .run(
            "alter table event attach partition event_2 for values from (10) to (20);
              select fence.protect('event', 'about');
              alter table event detach partition event_2",
        )
        .await;
    assert_eq!(gaps(&world).await.len(), HALF.len());
}

/// What was written in between bears no sign.
#[tokio::test]
async fn what_is_attached_again_is_guarded_and_nothing_tells_that_it_was_not() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run(
            "alter table event detach partition event_1; update event_1 set body = 'x';
              alter table event attach partition event_1 for values from (0) to (10)",
        )
        .await;
    assert!(gaps(&world).await.is_empty());
    refused(session.attempt("update event_1 set body = 'y'").await);
}

/// A child keeps its triggers. What it lacks is the tie to its column, which is its own now.
#[tokio::test]
async fn a_child_that_inherits_no_more_stays_guarded_and_is_named_until_it_is_tied_to_its_column() {
    let world = world().await;
    let mut session = world.session().await;
    session
        .run("alter table thing_child no inherit thing")
        .await;
    refused(session.attempt("delete from thing_child").await);
    assert_eq!(
        gaps(&world).await,
        ["fence_guards_column is missing on protected table public.thing_child"]
    );
    assert!(changed(&mut session, "fence.protect('thing_child', 'resource')").await);
    assert!(gaps(&world).await.is_empty());
}

async fn attach_late(world: &World) {
    let mut session = world.session().await;
    session
        .run(
            "create table event_2 (like event including defaults);
              alter table event attach partition event_2 for values from (10) to (20)",
        )
        .await;
}
