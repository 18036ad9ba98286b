//! What an operator prunes, and what stays: refusals by their last repeat, openings by their end; never the
//! newest of a resource, never what a keeper names. The audit reaches as far back as the openings do.

use std::time::Duration;

use fence_guard::{Reason, Retention};
use promises::{HOLD, MustRefuse, World, permit, resource};
use sqlx::Executor;
use uuid::Uuid;

use crate::jobs::{fences, history};
use crate::protected::count;

const HOUR: Duration = Duration::from_secs(3600);

fn retention(world: &World) -> Retention {
    Retention::new(world.pool().clone())
}

/// Behind the guard's back: moves what happened before this number into the past.
async fn age(world: &World, before: i64) {
    let mut session = world.session().await;
    session.run("set session_replication_role = replica").await;
    let openings = sqlx::query(
        "update fence.opening set at = at - interval '2 h', folded_at = folded_at - interval '2 h'
         where seq < $1",
    );
    openings
        .bind(before)
        .execute(&mut session.connection)
        .await
        .unwrap();
}

#[tokio::test]
async fn refusals_go_by_their_last_repeat_and_the_others_stay() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    for operation in ["a", "b", "c"] {
        client
            .guard
            .begin(&first, operation, Uuid::nil(), HOLD)
            .await
            .must_refuse();
    }
    let aged = "update fence.refusal
        set first_at = first_at - interval '2 h', last_at = last_at - interval '2 h'
        where operation <> 'c'";
    world.pool().execute(aged).await.unwrap();
    // A zombie repeats one of the old ones.
    client
        .guard
        .begin(&first, "a", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    assert_eq!(retention(&world).prune_refusals(HOUR).await.unwrap(), 1);
    let left: Vec<(String, i64)> = world
        .refusals()
        .await
        .iter()
        .map(|row| (row.operation.clone(), row.attempts))
        .collect();
    assert_eq!(left, [("a".to_owned(), 2), ("c".to_owned(), 1)]);
    assert_eq!(
        retention(&world)
            .prune_refusals(Duration::ZERO)
            .await
            .unwrap(),
        2
    );
    // What is refused afterwards is a row again.
    client
        .guard
        .begin(&first, "a", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    assert_eq!(world.refusals().await.len(), 1);
}

/// Its lock is held by the zombie that repeats it just now, or by a transaction that is about to commit it.
#[tokio::test]
async fn a_refusal_that_is_being_repeated_is_left_to_the_next_pass() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    client
        .guard
        .begin(&first, "a", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    let mut zombie = world.session().await;
    zombie
        .run("begin; update fence.refusal set attempts = attempts + 1")
        .await;
    assert_eq!(
        retention(&world)
            .prune_refusals(Duration::ZERO)
            .await
            .unwrap(),
        0
    );
    zombie.run("commit").await;
    assert_eq!(
        retention(&world)
            .prune_refusals(Duration::ZERO)
            .await
            .unwrap(),
        1
    );
}

#[tokio::test]
async fn the_newest_opening_of_a_resource_stays_whether_it_is_closed_or_not() {
    let world = World::new().await;
    let client = world.client().await;
    history(&client, "open", 3).await;
    history(&client, "closed", 2).await;
    let last = client.open(&permit("closed", 3)).await;
    client.close(&last).await;
    assert_eq!(
        retention(&world)
            .with_batch(3)
            .prune_openings(Duration::ZERO)
            .await
            .unwrap(),
        5
    );
    for name in ["open", "closed"] {
        assert_eq!(fences(&world, name).await, [3], "{name}");
    }
    assert!(world.findings().await.is_empty());
    // The one that is open acts.
    let again = client.guard.open(&permit("open", 4), HOLD).await.unwrap();
    assert!(again.is_takeover());
    assert_eq!(
        retention(&world)
            .prune_openings(Duration::ZERO)
            .await
            .unwrap(),
        1
    );
}

/// An opening is as old as its end, however long ago it was opened.
#[tokio::test]
async fn an_opening_ages_from_when_it_was_replaced() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    age(&world, first.seq() + 1).await;
    let second = client.open(&permit("r", 2)).await;
    client.open(&permit("r", 3)).await;
    assert_eq!(retention(&world).prune_openings(HOUR).await.unwrap(), 0);
    age(&world, second.seq() + 1).await;
    assert_eq!(retention(&world).prune_openings(HOUR).await.unwrap(), 1);
    assert_eq!(fences(&world, "r").await, [2, 3]);
}

/// A pass goes on over time: it has looked at the older opening before that was due, and comes to the newer one after.
#[tokio::test]
async fn what_tells_of_a_fold_stays_while_an_older_opening_was_not_due_when_the_pass_came_by() {
    let world = World::new().await;
    let client = world.client().await;
    let [lost, newest] = [permit("r", 1), permit("r", 2)];
    client.open(&lost).await;
    let last = client.open(&newest).await;
    client.close(&last).await;
    let hourly = retention(&world);
    assert_eq!(hourly.fold(Duration::ZERO).await.unwrap(), 1);

    let mut session = world.session().await;
    // Each call looks at one row: the older one, which is not due; the newer one, which is by then; none.
    for (aged, through) in [(false, false), (true, false), (true, true)] {
        if aged {
            age(&world, i64::MAX).await;
        }
        let call: (i64, bool) = sqlx::query_as("select * from fence.prune_openings('1 h', 1)")
            .fetch_one(&mut session.connection)
            .await
            .unwrap();
        assert_eq!(call, (0, through));
        assert_eq!(fences(&world, "r").await, [1, 2]);
        assert!(world.findings().await.is_empty());
    }
    let again = client
        .guard
        .open_next(&resource("r"), lost.holder(), HOLD)
        .await
        .must_refuse();
    let told = (again.reason(), again.mark().get(), again.opened_by());
    assert_eq!(told, (Reason::Stale, 2, Some(newest.holder())));

    // The next pass comes by the older one first, so it takes both, each in its turn.
    assert_eq!(hourly.with_batch(1).prune_openings(HOUR).await.unwrap(), 2);
    assert_eq!(fences(&world, "r").await, [0; 0]);
    assert!(world.findings().await.is_empty());
}

/// It is a look at an index, however often a resource was opened, and however many of its openings go at once.
#[tokio::test]
async fn a_batch_reads_a_few_rows_for_each_that_it_looks_at() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 30_000)).await;
    client.close(&open).await;
    let mut session = world.session().await;
    session
        .run(
            "insert into fence.opening (seq, resource, fence, holder, at, valid_until, minted, takeover)
             select n - 30000, 'r', n, gen_random_uuid(), now(), now(), false, false
             from generate_series(1, 20000) n;
             analyze fence.opening",
        )
        .await;
    retention(&world).fold(Duration::ZERO).await.unwrap();
    // The last hundred of the older ones, and the one that tells of the fold.
    session
        .run("update fence.retention set after_seq = -10100 where job = 'prune_openings'")
        .await;
    session
        .run("begin; select fence.prune_openings('0', 200)")
        .await;
    let read = "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
                where schemaname = 'fence' and relname = 'opening'";
    let read: i64 = sqlx::query_scalar(read)
        .fetch_one(&mut session.connection)
        .await
        .unwrap();
    assert!(read < 20 * 200, "it has read {read} rows");
    session.run("commit").await;
    // The newest stays, as 19,900 older ones do.
    let openings = "select count(*) from fence.opening";
    assert_eq!(count(&world, openings).await, 20_001 - 100);
}

/// A refusal names the opening that overtook; where that was pruned, nothing can be said against it.
#[tokio::test]
async fn the_audit_finds_nothing_in_what_pruning_left_and_still_convicts_what_it_can_see() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    client
        .guard
        .begin(&first, "late", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    client.open(&permit("r", 3)).await;
    assert_eq!(
        retention(&world)
            .prune_openings(Duration::ZERO)
            .await
            .unwrap(),
        2
    );
    assert!(client.guard.audit().await.unwrap().is_empty());

    // A refusal after that, against a mark that was never there.
    client
        .guard
        .begin(&first, "later", Uuid::nil(), HOLD)
        .await
        .must_refuse();
    world
        .pool()
        .execute("update fence.refusal set observed_fence = 9 where operation = 'later'")
        .await
        .unwrap();
    let findings = client.guard.audit().await.unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].rule, "S7");
}
