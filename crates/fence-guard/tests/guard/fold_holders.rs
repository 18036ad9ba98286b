//! A holder is one acquisition: what it has closed, or lost, it does not get back by `open_next` where the mark was
//! folded meanwhile. The floor cannot tell, as a minted number is never below it; the openings do while they are kept.

use std::time::Duration;

use fence_guard::{Error, Holder, OpenPermit, Reason, Retention};
use promises::{Client, HOLD, MustRefuse, World, permit, resource, start};

/// Opens `r` as this holder.
async fn next(client: &Client, holder: Holder, hold: Duration) -> Result<OpenPermit, Error> {
    client.guard.open_next(&resource("r"), holder, hold).await
}

async fn folded(world: &World) -> u64 {
    let retention = Retention::new(world.pool().clone());
    retention.fold(Duration::ZERO).await.unwrap()
}

async fn pruned(world: &World) -> u64 {
    let retention = Retention::new(world.pool().clone());
    retention.prune_openings(Duration::ZERO).await.unwrap()
}

/// `r` was opened by somebody under fence 1 and overtaken, opened by another under 2 and closed, and folded; the floor is
/// far above both.
async fn lost_and_closed() -> (World, Client, [Holder; 2]) {
    let world = World::new().await;
    let client = world.client().await;
    let (lost, closed) = (Holder::random(), Holder::random());
    next(&client, lost, Duration::ZERO).await.unwrap();
    let over = "select pg_sleep_until(valid_until + interval '1 us') from fence.resource";
    sqlx::query(over).execute(world.pool()).await.unwrap();
    let open = next(&client, closed, HOLD).await.unwrap();
    assert!(open.is_takeover());
    client.close(&open).await;
    let other = client.open(&permit("other", 8)).await;
    client.close(&other).await;
    assert_eq!(folded(&world).await, 2);
    (world, client, [lost, closed])
}

#[track_caller]
fn assert_refused(outcome: Result<OpenPermit, Error>, reason: Reason, by: Holder) {
    let refusal = outcome.must_refuse();
    let told = (refusal.reason(), refusal.mark().get(), refusal.opened_by());
    assert_eq!(told, (reason, 2, Some(by)));
}

#[tokio::test]
async fn whoever_closed_or_was_overtaken_before_a_fold_gets_no_second_opening() {
    let (world, client, [lost, closed]) = lost_and_closed().await;
    assert_refused(next(&client, closed, HOLD).await, Reason::Closed, closed);
    assert_refused(next(&client, lost, HOLD).await, Reason::Stale, closed);
    assert_eq!(world.openings("r").await.len(), 2);
    assert_eq!(world.mark("r").await, 8);

    // Anybody else opens at the floor, and takes nothing over.
    let new = next(&client, Holder::random(), HOLD).await.unwrap();
    assert_eq!((new.permit().fence().get(), new.is_takeover()), (9, false));
    client.begin(&new).await.commit().await.unwrap();
    assert!(world.findings().await.is_empty());
}

/// Nobody knows them any more: so openings are kept for longer than any call may be on its way.
#[tokio::test]
async fn whom_a_fold_and_a_pruning_have_forgotten_opens_as_a_new_holder() {
    let (world, client, [lost, closed]) = lost_and_closed().await;
    assert_eq!(pruned(&world).await, 3);
    for (holder, fence) in [(closed, 9), (lost, 10)] {
        let open = next(&client, holder, HOLD).await.unwrap();
        assert_eq!(open.permit().fence().get(), fence);
        client.close(&open).await;
    }
    assert!(world.findings().await.is_empty());
}

/// It waits for another first opening since the fold. Judged before, it would be judged by what is over then; so it is
/// judged after its wait, whether the other came to an opening or not.
#[tokio::test]
async fn whoever_closed_before_a_fold_is_judged_after_its_wait_for_another() {
    for end in ["rollback", "commit"] {
        let (world, client, [_, closed]) = lost_and_closed().await;
        let mut other = world.session().await;
        other.run("begin").await;
        let higher = permit("r", 9);
        other.open(&higher).await.unwrap();
        let guard = client.guard.clone();
        let late = start(async move { guard.open_next(&resource("r"), closed, HOLD).await });
        world.until_blocked(client.pid, other.pid).await;
        other.run(end).await;
        let refusal = late.done().await.must_refuse();
        let expected = match end {
            "commit" => (Reason::Stale, 9, Some(higher.holder())),
            _ => (Reason::Closed, 2, Some(closed)),
        };
        let told = (refusal.reason(), refusal.mark().get(), refusal.opened_by());
        assert_eq!(told, expected, "{end}");
        assert!(world.findings().await.is_empty());
    }
}

/// Whether it is known is asked under the lock of its resource, so it must not take longer the more was opened.
#[tokio::test]
async fn a_minted_opening_reads_a_few_rows_however_often_its_resource_was_opened() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 10_000)).await;
    client.close(&open).await;
    let mut session = world.session().await;
    session
        .run(
            "insert into fence.opening (seq, resource, fence, holder, at, valid_until, minted, takeover)
             select -n, 'r', n, gen_random_uuid(), now(), now(), false, false from generate_series(1, 5000) n;
             analyze fence.opening",
        )
        .await;
    for folds in [false, true] {
        if folds {
            folded(&world).await;
        }
        session
            .run("begin; select fence.open_next('r', gen_random_uuid(), '1 s')")
            .await;
        let read = "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
                    where schemaname = 'fence' and relname = 'opening'";
        let read: i64 = sqlx::query_scalar(read)
            .fetch_one(&mut session.connection)
            .await
            .unwrap();
        session.run("rollback").await;
        assert!(read < 10, "it has read {read} rows");
    }
}

/// Its newest opening is what counts: whoever minted above its own fence, and closed that, has closed.
#[tokio::test]
async fn a_holder_of_several_openings_is_judged_by_its_newest() {
    let world = World::new().await;
    let client = world.client().await;
    let first = permit("r", 1);
    client.open(&first).await;
    let healed = fence_guard::Permit::new(resource("r"), permit("r", 2).fence(), first.holder());
    let open = client.open(&healed).await;
    client.close(&open).await;
    folded(&world).await;
    let holder = first.holder();
    assert_refused(next(&client, holder, HOLD).await, Reason::Closed, holder);
}
