//! S1 to S4 across a fold, against openings, writers and closes in flight, in both orders. Each order is forced by
//! a transaction that a test holds, and by seeing who waits for whom.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use fence_guard::{Holder, Reason, Retention};
use promises::{Client, HOLD, MustRefuse, Session, World, permit, resource, sqlstate, start};

use crate::protected::{carried, count, forge};

const FOLD: &str = "select fence.fold('0')";

/// r was opened up to fence 5 and closed.
async fn world() -> (World, Client) {
    let world = World::new().await;
    let client = world.client().await;
    for fence in [4, 5] {
        let open = client.open(&permit("r", fence)).await;
        client.close(&open).await;
    }
    (world, client)
}

/// A fold that has folded, and not committed.
async fn folding(world: &World) -> Session {
    let mut session = world.session().await;
    session.run("begin").await;
    session.run(FOLD).await;
    session
}

async fn folded(world: &World) -> u64 {
    let retention = Retention::new(world.pool().clone());
    retention.fold(Duration::ZERO).await.unwrap()
}

/// The function says so, and changes nothing: whoever calls it in a transaction of its own begins that again.
#[tokio::test]
async fn an_opening_that_waits_for_a_fold_is_told_to_open_again() {
    let (world, _client) = world().await;
    let mut fold = folding(&world).await;
    let mut opening = world.session().await;
    let (pid, mine) = (opening.pid, permit("r", 6));
    let opened = start(async move { opening.open(&mine).await });
    world.until_blocked(pid, fold.pid).await;
    fold.run("commit").await;
    assert_eq!(sqlstate(opened.done().await), "40001");
    assert_eq!(world.openings("r").await.len(), 2);
}

#[tokio::test]
async fn a_guard_whose_opening_waits_for_a_fold_opens_again_above_the_floor() {
    let (world, client) = world().await;
    let mut fold = folding(&world).await;
    let mine = permit("r", 6);
    let opening = client.start_open(&mine);
    world.until_blocked(client.pid, fold.pid).await;
    fold.run("commit").await;
    let open = opening.done().await.unwrap();
    assert!(!open.is_takeover());
    client.begin(&open).await.commit().await.unwrap();
    assert_eq!(world.openings("r").await.len(), 3);
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn a_guard_whose_minted_opening_waits_for_a_fold_mints_at_the_floor() {
    let (world, client) = world().await;
    let mut fold = folding(&world).await;
    let guard = client.guard.clone();
    let minting = start(async move {
        guard
            .open_next(&resource("r"), Holder::random(), HOLD)
            .await
    });
    world.until_blocked(client.pid, fold.pid).await;
    fold.run("commit").await;
    let open = minting.done().await.unwrap();
    assert_eq!(open.permit().fence().get(), 6);
    client.begin(&open).await.commit().await.unwrap();
    assert!(world.findings().await.is_empty());
}

/// Judged again, it is not the one that it was before: whoever opened meanwhile is higher.
#[tokio::test]
async fn a_guard_that_opens_again_is_judged_by_what_it_finds_then() {
    let (world, client) = world().await;
    for name in ["a", "b"] {
        let higher = client.open(&permit(name, 9)).await;
        client.close(&higher).await;
    }
    let mut fold = folding(&world).await;
    let opening = client.start_open(&permit("r", 6));
    world.until_blocked(client.pid, fold.pid).await;
    fold.run("commit").await;
    // The fold has taken higher marks along, and the floor with them.
    let refusal = opening.done().await.must_refuse();
    assert_eq!(
        (refusal.reason(), refusal.mark().get()),
        (Reason::Stale, 10)
    );
    assert!(world.findings().await.is_empty());
}

/// Its resource has no row, so it is the floor that it waits for; and the floor that it then sees is the new one.
#[tokio::test]
async fn a_first_opening_that_waits_for_a_fold_is_judged_by_the_risen_floor() {
    let (world, client) = world().await;
    for (fence, expected) in [(5, Err(Reason::Stale)), (6, Ok(()))] {
        let name = format!("first {fence}");
        let mut fold = folding(&world).await;
        let opening = client.start_open(&permit(&name, fence));
        if fence == 5 {
            world.until_blocked(client.pid, fold.pid).await;
        }
        fold.run("commit").await;
        let told = opening.done().await;
        match expected {
            Ok(()) => drop(told.unwrap()),
            Err(reason) => assert_eq!(told.must_refuse().reason(), reason),
        }
    }
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn a_fold_passes_by_a_mark_that_is_just_being_raised() {
    let (world, client) = world().await;
    let mut opening = world.session().await;
    opening.run("begin").await;
    let mine = permit("r", 6);
    assert_eq!(opening.open(&mine).await.unwrap().outcome, "opened");
    assert_eq!(folded(&world).await, 0);
    opening.run("commit").await;
    assert_eq!((folded(&world).await, world.mark("r").await), (0, 6));
    let open = client.open(&mine).await;
    client.begin(&open).await.commit().await.unwrap();
    assert!(world.findings().await.is_empty());
}

/// It may have been told its floor before; so the fold waits for it, and does not pass it by.
#[tokio::test]
async fn a_fold_waits_for_a_first_opening_in_flight() {
    let (world, client) = world().await;
    let mut opening = world.session().await;
    opening.run("begin").await;
    let low = permit("low", 1);
    assert_eq!(opening.open(&low).await.unwrap().outcome, "opened");
    let (pool, mut folding) = (world.pool().clone(), world.session().await);
    let pid = folding.pid;
    let fold = start(async move { folding.attempt(FOLD).await });
    world.until_blocked(pid, opening.pid).await;
    opening.run("commit").await;
    fold.done().await.unwrap();
    let floor: i64 = sqlx::query_scalar("select fence from fence.floor")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(floor, 6);
    // Below the floor, with a mark of its own: open, and rightful.
    let open = client.open(&low).await;
    client.begin(&open).await.commit().await.unwrap();
    assert!(world.findings().await.is_empty());
}

/// It takes the floor before any mark: while it waits for that, it holds none that an opening or a writer would
/// wait for, and it judges what it finds afterwards.
#[tokio::test]
async fn a_fold_that_waits_for_a_first_opening_keeps_nobody_else_waiting() {
    let (world, client) = world().await;
    let (mut opening, mut folding) = (world.session().await, world.session().await);
    opening.run("begin").await;
    opening.open(&permit("low", 1)).await.unwrap();
    let pid = folding.pid;
    let fold = start(async move { folding.attempt(FOLD).await });
    world.until_blocked(pid, opening.pid).await;
    let open = client.open(&permit("r", 6)).await;
    opening.run("commit").await;
    fold.done().await.unwrap();
    client.begin(&open).await.commit().await.unwrap();
    let floor = "select fence from fence.floor";
    assert_eq!(count(&world, floor).await, 1);
    assert!(world.findings().await.is_empty());
}

/// A writer that the mark would have refused looks while the fold is in flight: it waits, and the floor refuses it.
#[tokio::test]
async fn a_late_writer_that_waits_for_a_fold_is_stale_by_the_floor() {
    let (world, _client) = world().await;
    let mut late = world.session().await;
    let mut fold = folding(&world).await;
    let pid = late.pid;
    let admission = start(async move { late.admit(&[&permit("r", 4)]).await });
    world.until_blocked(pid, fold.pid).await;
    fold.run("commit").await;
    let answer = admission.done().await.unwrap();
    assert_eq!((&*answer.outcome, answer.mark), ("stale", Some(6)));
    assert!(world.findings().await.is_empty());
}

/// Whoever looks at a mark keeps it from being folded until its end: here a late writer that was just refused.
#[tokio::test]
async fn a_fold_passes_by_a_mark_that_a_writer_looks_at() {
    let (world, _client) = world().await;
    let mut late = world.session().await;
    late.run("begin").await;
    assert_eq!(
        late.admit(&[&permit("r", 4)]).await.unwrap().outcome,
        "stale"
    );
    assert_eq!(folded(&world).await, 0);
    late.run("commit").await;
    assert_eq!(folded(&world).await, 1);
}

/// It was closed, and is folded, between a close and its repeat whose reply was lost.
#[tokio::test]
async fn a_close_that_is_repeated_after_a_fold_finds_nothing_left_to_close() {
    let world = World::new().await;
    let (client, mut session) = (world.client().await, world.session().await);
    let open = client.open(&permit("r", 1)).await;
    client.close(&open).await;
    folded(&world).await;
    assert_eq!(session.close(open.permit()).await.unwrap().outcome, "stale");
    // Nor does a permit that is carried by hand hold.
    session
        .run("create table note (resource text); select fence.protect('note', 'resource'); begin")
        .await;
    forge(&mut session, &carried(open.permit())).await;
    let refusal = crate::protected::refused(session.attempt("insert into note values ('r')").await);
    assert_eq!(refusal.refusal().unwrap().reason(), Reason::Stale);
}

const TASKS: usize = 6;
const ROUNDS: usize = 30;

/// Openings, writes and closes of a few resources while everything closed is folded all the time.
#[tokio::test]
async fn openings_strictly_grow_under_a_storm_of_folds() {
    let world = World::new().await;
    world
        .session()
        .await
        .run(
            "create table note (resource text, fence bigint);
              select fence.protect('note', 'resource')",
        )
        .await;
    let stop = Arc::new(AtomicBool::new(false));
    let (retention, stopped) = (
        Retention::new(world.pool().clone()).with_batch(2),
        stop.clone(),
    );
    let folds = start(async move {
        let mut folded = 0;
        while !stopped.load(Ordering::Relaxed) {
            folded += retention.fold(Duration::ZERO).await.unwrap();
        }
        folded
    });
    let counter = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let (client, counter) = (world.client().await, counter.clone());
        tasks.push(start(async move { one(task, &client, &counter).await }));
    }
    let mut written = 0;
    for task in tasks {
        written += task.done().await;
    }
    stop.store(true, Ordering::Relaxed);
    let folded = folds.done().await;
    assert!(
        folded > 0 && written > 0,
        "{folded} folded, {written} written"
    );
    let findings = world.findings().await;
    assert!(findings.is_empty(), "{findings:?}");
    let falls = "select count(*) from (
        select fence < lag(fence) over (partition by resource order by seq) as falls
        from fence.opening) o where falls";
    assert_eq!(count(&world, falls).await, 0);
    assert_eq!(count(&world, "select count(*) from note").await, written);
}

/// Opens, writes and closes; what is refused mints above the mark, as a lease does.
async fn one(task: usize, client: &Client, counter: &AtomicU64) -> i64 {
    let mut written = 0;
    for round in 0..ROUNDS {
        let name = format!("r{}", (task + round) % 3);
        let fence = counter.fetch_add(1, Ordering::Relaxed) + 1;
        let Ok(open) = client.guard.open(&permit(&name, fence), HOLD).await else {
            let mark = client.guard.mark(&resource(&name)).await.unwrap().get();
            counter.fetch_max(mark, Ordering::Relaxed);
            continue;
        };
        if let Ok(mut tx) = client
            .guard
            .begin(&open, "note", uuid::Uuid::nil(), HOLD)
            .await
        {
            let note = sqlx::query("insert into note values ($1, $2)").bind(&name);
            note.bind(open.permit().fence().as_i64())
                .execute(&mut *tx)
                .await
                .unwrap();
            tx.commit().await.unwrap();
            written += 1;
        }
        client.guard.close(&open, 1).await.unwrap();
    }
    written
}
