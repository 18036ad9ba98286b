//! S4: the mark never goes down, also over `kill -9` of Postgres.
//!
//! Whoever lowers a mark (a hand at the keyboard, a clean-up job, a crash that loses a commit) lets
//! in every holder that was overtaken since. Without the triggers the statements here succeed;
//! without `synchronous_commit` the kill undoes an opening that was already answered.

use fence_guard::Reason;
use promises::{HOLD, MustRefuse, World, charge, permit, same_number, sqlstate};
use testbed::{Options, PostgresServer};
use uuid::Uuid;

/// The guard's "a mark was touched by hand".
const TOUCHED: &str = "ZF005";

/// Each as the superuser that owns the table: no privilege is in the way, only the triggers.
#[tokio::test]
async fn no_statement_by_hand_lowers_deletes_or_heals_a_mark() {
    let world = World::new().await;
    let client = world.client().await;
    client.open(&permit("open", 5)).await;
    let closed = client.open(&permit("closed", 5)).await;
    client.close(&closed).await;

    world.account("alice", 5).await;

    let mut hand = world.session().await;
    // The floor rises, and only rises.
    hand.run("update fence.floor set fence = 2").await;
    for statement in [
        "update fence.resource set fence = 4",
        "update fence.resource set fence = 4 where resource = 'closed'",
        "update fence.resource set holder = gen_random_uuid() where resource = 'open'",
        "update fence.resource set resource = 'elsewhere' where resource = 'open'",
        "update fence.resource set closed_seq = null, closed_at = null, closed_lease_left_ms = null
            where resource = 'closed'",
        "update fence.resource set closed_lease_left_ms = 7 where resource = 'closed'",
        "delete from fence.resource where resource = 'open'",
        "delete from fence.resource where resource = 'closed'",
        "truncate fence.resource",
        "truncate fence.resource cascade",
        "update fence.floor set fence = 0",
        "delete from fence.floor",
        "truncate fence.floor",
        "update fence.opening set fence = 4 where resource = 'open'",
        "delete from fence.opening",
        "truncate fence.opening",
        "update credit.entry set change = 1",
        "delete from credit.entry",
        "truncate credit.entry",
        "insert into fence.resource
            (resource, fence, holder, opened_seq, opened_at, valid_until, minted)
            values ('open', 1, gen_random_uuid(), 1, now(), now(), false)
            on conflict on constraint resource_key do update set fence = excluded.fence",
    ] {
        assert_eq!(
            sqlstate(hand.attempt(statement).await),
            TOUCHED,
            "{statement}"
        );
    }
    assert_eq!(world.mark("open").await, 5);
    assert_eq!(world.mark("closed").await, 5);
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn a_closed_opening_heals_by_no_call_of_its_holder() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 1).await;
    let mine = permit("r", 5);
    let open = client.open(&mine).await;
    client.close(&open).await;

    let opened = client.guard.open(&mine, HOLD).await;
    assert_eq!(opened.must_refuse().reason(), Reason::Closed);
    let begun = client.guard.begin(&open, "query", Uuid::nil(), HOLD).await;
    assert_eq!(begun.must_refuse().reason(), Reason::Closed);
    let charged = client.ledger.charge(&open, &charge(&alice, 1)).await;
    assert_eq!(charged.must_refuse().reason(), Reason::Closed);
    // A repeated close is success, and moves nothing.
    client.close(&open).await;
    assert_eq!(world.balance(&alice).await, 1);
}

#[tokio::test]
async fn a_closed_mark_still_refuses_every_lower_and_equal_number() {
    let world = World::new().await;
    let client = world.client().await;
    let mine = permit("r", 5);
    let open = client.open(&mine).await;
    client.close(&open).await;

    let lower = client.guard.open(&permit("r", 4), HOLD).await;
    assert_eq!(lower.must_refuse().reason(), Reason::Stale);
    let equal = client.guard.open(&same_number(&mine), HOLD).await;
    assert_eq!(equal.must_refuse().reason(), Reason::Conflict);
    let higher = client.open(&permit("r", 6)).await;
    assert!(!higher.is_takeover());
}

/// The close moves first, a write of the same holder queues behind it.
#[tokio::test]
async fn a_write_that_queues_behind_its_own_close_is_closed() {
    let world = World::new().await;
    let (writer, mut closer) = (world.client().await, world.session().await);
    let alice = world.account("alice", 1).await;
    let mine = permit("r", 5);
    let open = writer.open(&mine).await;

    closer.run("begin").await;
    assert_eq!(closer.close(&mine).await.unwrap().outcome, "closed");
    let writing = writer.start_charge(&open, &charge(&alice, 1));
    world.until_blocked(writer.pid, closer.pid).await;
    closer.run("commit").await;
    assert_eq!(writing.done().await.must_refuse().reason(), Reason::Closed);
}

/// The opening is answered, Postgres is killed before anything else happens. A second opening is in
/// flight at the kill, and never answered: it is as if it had not been sent.
///
/// The server is one whose commits do not wait for the disk unless asked: the guard asks.
#[tokio::test]
async fn an_answered_opening_survives_kill_nine_of_postgres() {
    let options = Options::throw_away()
        .durable()
        .postgres_config("synchronous_commit", "off")
        // So late that only a commit that waits reaches the disk before the kill.
        .postgres_config("wal_writer_delay", "10s");
    let mut server = PostgresServer::start(&options).unwrap();
    let url = server.url().to_owned();
    let world = World::at(&url).await;
    let (client, mut in_flight) = (world.client().await, world.session().await);
    let alice = world.account("alice", 1).await;

    let first = client.open(&permit("r", 7)).await;
    let applied = client.charge(&first, &charge(&alice, 1)).await;
    in_flight.run("begin").await;
    in_flight.open(&permit("r", 8)).await.unwrap();
    let second = permit("other", 9);
    client.open(&second).await;
    server.kill_nine().unwrap();
    server.restart().unwrap();

    let world = World::at(&url).await;
    assert_eq!(world.mark("other").await, 9);
    assert_eq!(world.mark("r").await, 7);
    assert_eq!(world.charges(&alice).await[0].seq, applied.seq);
    let client = world.client().await;
    let lower = client.guard.open(&permit("other", 8), HOLD).await;
    assert_eq!(lower.must_refuse().reason(), Reason::Stale);
    client.open(&permit("r", 8)).await;
    assert!(world.findings().await.is_empty());
}
