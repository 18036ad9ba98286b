//! What is told to whoever listens, and what must not be: a notification makes commits wait for each other. And how
//! somebody follows numbers without missing one.

use fence_guard::CHANNEL;
use promises::{HOLD, MustRefuse, World, charge, hold, permit, start, within};
use sqlx::postgres::PgListener;
use uuid::Uuid;

async fn listener(world: &World) -> PgListener {
    let mut listener = PgListener::connect_with(world.pool()).await.unwrap();
    listener.listen(CHANNEL).await.unwrap();
    listener
}

/// What is told next.
async fn heard(listener: &mut PgListener) -> String {
    let told = within("a notification", listener.recv()).await.unwrap();
    told.payload().to_owned()
}

#[tokio::test]
async fn nothing_on_the_ordinary_path_tells_anybody() {
    let world = World::new().await;
    let alice = world.account("alice", 10).await;
    let client = world.client().await;
    let mut listener = listener(&world).await;
    for fence in 1..=2 {
        let open = client.open(&permit("r", fence)).await;
        client.charge(&open, &charge(&alice, 1)).await;
        client.hold(&open, &hold(&alice, 1)).await;
        client.begin(&open).await.commit().await.unwrap();
        client.close(&open).await;
    }
    client.open(&permit("r", 3)).await;
    // Commits are told in their order: had any of those told something, it would come first.
    client.open(&permit("r", 4)).await;
    let takeover = world.openings("r").await.pop().unwrap();
    assert!(takeover.takeover);
    let told = heard(&mut listener).await;
    assert_eq!(told, format!("takeover {}", takeover.seq));
}

#[tokio::test]
async fn a_refused_write_is_told_once_by_its_number_however_often_it_is_repeated() {
    let world = World::new().await;
    let client = world.client().await;
    let late = client.open(&permit("r", 1)).await;
    let mine = client.open(&permit("r", 2)).await;
    client.close(&mine).await;
    let mut listener = listener(&world).await;
    for _ in 0..3 {
        let begun = client.guard.begin(&late, "query", Uuid::nil(), HOLD).await;
        begun.must_refuse();
    }
    let begun = client.guard.begin(&mine, "query", Uuid::nil(), HOLD).await;
    begun.must_refuse();
    let rows = world.refusals().await;
    assert_eq!(rows[0].attempts, 3);
    for row in rows {
        assert_eq!(heard(&mut listener).await, format!("refusal {}", row.seq));
    }
}

#[tokio::test]
async fn a_number_is_behind_the_horizon_only_when_its_transaction_has_ended() {
    let world = World::new().await;
    let guard = world.client().await.guard;
    let mut slow = world.session().await;
    slow.run("begin").await;
    slow.open(&permit("slow", 1)).await.unwrap();
    guard.open(&permit("quick", 1), HOLD).await.unwrap();

    let drawn = guard.horizon().await.unwrap();
    assert_eq!(
        (drawn.in_flight.len(), drawn.is_whole),
        (1, true),
        "{drawn:?}"
    );
    let later = guard.horizon().await.unwrap();
    assert!(!later.have_ended(&drawn.in_flight), "{later:?}");
    slow.run("commit").await;
    let later = guard.horizon().await.unwrap();
    assert!(later.have_ended(&drawn.in_flight), "{later:?}");
    let numbers = guard.openings(None, 0, 9).await.unwrap();
    assert!(numbers.iter().all(|row| row.seq <= drawn.last_seq));
    assert_eq!(numbers.len(), 2);
}

/// A refusal under a resource without a row locks no row of it, and may then wait for its twin.
#[tokio::test]
async fn a_refused_write_that_waits_for_its_twin_is_a_transaction_that_the_horizon_names() {
    let world = World::new().await;
    let guard = world.client().await.guard;
    let never_opened = permit("r", 1);
    let (mut first, mut second) = (world.session().await, world.session().await);
    first.run("begin").await;
    first.admit(&[&never_opened]).await.unwrap();
    let (pid, by) = (second.pid, first.pid);
    let again = start(async move { second.admit(&[&never_opened]).await.map(|_| ()) });
    world.until_blocked(pid, by).await;
    let waiting = guard.horizon().await.unwrap();
    first.run("rollback").await;
    again.done().await.unwrap();
    assert_eq!(waiting.in_flight.len(), 2, "{waiting:?}");
    assert_eq!(world.refusals().await.len(), 1);
}

/// A backup, a report or a bulk load elsewhere lasts for hours, and draws no number.
#[tokio::test]
async fn who_draws_no_number_is_not_waited_for() {
    let world = World::new().await;
    let mut load = world.session().await;
    load.run("create table load (x int); begin; insert into load values (1); select count(*) from fence.resource")
        .await;
    let horizon = world.client().await.guard.horizon().await.unwrap();
    assert_eq!((horizon.in_flight, horizon.is_whole), (vec![], true));
}
