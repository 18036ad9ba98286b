//! S4: what the guard has answered is on the disk, also where the session asks for less: `kill -9`
//! of Postgres right after the reply takes nothing back.

use fence_guard::Reason;
use promises::{HOLD, MustRefuse, World, permit};
use testbed::{Options, PostgresServer};
use uuid::Uuid;

#[tokio::test]
async fn an_answered_close_and_an_answered_refusal_survive_kill_nine_of_postgres() {
    let options = Options::throw_away()
        .durable()
        .postgres_config("synchronous_commit", "off")
        // So late that only a commit that waits reaches the disk before the kill.
        .postgres_config("wal_writer_delay", "5s");
    let mut server = PostgresServer::start(&options).unwrap();
    let world = World::at(server.url()).await;
    let (zombie, rightful) = (world.client().await, world.client().await);
    let first = zombie.open(&permit("r", 1)).await;
    let second = rightful.open(&permit("r", 2)).await;
    rightful.close(&second).await;
    let begun = zombie.guard.begin(&first, "late", Uuid::nil(), HOLD).await;
    assert_eq!(begun.must_refuse().reason(), Reason::Stale);
    server.kill_nine().unwrap();
    server.restart().unwrap();

    let world = World::at(server.url()).await;
    let refusals = world.refusals().await;
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert_eq!(
        (refusals[0].presented_fence, refusals[0].observed_fence),
        (1, 2)
    );
    // Closed never heals, the power cut included.
    let again = world.client().await.guard.open(second.permit(), HOLD).await;
    assert_eq!(again.must_refuse().reason(), Reason::Closed);
    assert!(world.findings().await.is_empty());
}
