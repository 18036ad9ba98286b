//! S10 and where it ends: a holder that prepares its transaction (`PREPARE TRANSACTION`) has no session that could be
//! ended. Whoever opens behind it is told the name to roll back, and nothing else lets it in.

use std::time::Duration;

use fence_guard::{Blocker, Error, Guard, GuardOptions, Permit};
use promises::{DONE_WITHIN, HOLD, Session, World, permit, within};
use sqlx::AssertSqlSafe;
use testbed::{Options, PostgresServer};

use crate::protected::count;
use crate::support::until_told;

/// A server on which transactions can be prepared: on most they cannot, as the setting is 0 by default.
fn server() -> PostgresServer {
    let options = Options::throw_away().postgres_config("max_prepared_transactions", "4");
    PostgresServer::start(&options).unwrap()
}

/// A world on it, with a protected table, in which `r` is open.
async fn world(server: &PostgresServer) -> (World, Permit) {
    let world = World::at(server.url()).await;
    let table = "create table note (resource text); select fence.protect('note', 'resource')";
    world.session().await.run(table).await;
    let mine = permit("r", 1);
    world.client().await.open(&mine).await;
    (world, mine)
}

/// Begins a transaction that may stand still for a second.
async fn begin(session: &mut Session, mine: &Permit) {
    session.run("begin").await;
    let admit =
        "select outcome from fence.admit(array[($1, $2, $3)::fence.permit], 'note', null, '1 s')";
    let outcome: String = sqlx::query_scalar(admit)
        .bind(mine.resource().as_str())
        .bind(mine.fence().as_i64())
        .bind(mine.holder().as_uuid())
        .fetch_one(&mut session.connection)
        .await
        .unwrap();
    assert_eq!(outcome, "admitted");
}

/// Writes a note, and leaves it prepared under this name, a literal of SQL.
async fn prepare(session: &mut Session, mine: &Permit, gid: &str) {
    begin(session, mine).await;
    let write = format!("insert into note values ('r'); prepare transaction {gid}");
    session.run(AssertSqlSafe(write)).await;
}

/// Who an opening of `r` is told to be blocked by, and in which words.
async fn blocked(world: &World, fence: u64) -> (Vec<Blocker>, String) {
    let client = world.client().await;
    let impatient = GuardOptions::default().with_wait(Duration::from_millis(100));
    let guard = Guard::with_options(client.guard.pool().clone(), impatient);
    let mine = permit("r", fence);
    let opened = within("an opening with a bound", guard.open(&mine, HOLD)).await;
    let error = opened.unwrap_err();
    let told = error.to_string();
    match error {
        Error::Blocked { blockers } => (blockers, told),
        other => panic!("it had to be blocked, it came to {other}"),
    }
}

/// Returns when this is true of a backend.
async fn until(world: &World, what: &str, question: &'static str, pid: i32) {
    let ask = || async {
        let answer: bool = sqlx::query_scalar(question)
            .bind(pid)
            .fetch_one(world.pool())
            .await
            .unwrap();
        answer.then_some(())
    };
    until_told(what, DONE_WITHIN, ask).await;
}

#[tokio::test]
async fn an_opening_behind_prepared_transactions_names_them_and_what_ends_them() {
    let mut server = server();
    let (before, mine) = world(&server).await;
    let mut session = before.session().await;
    prepare(&mut session, &mine, "'order 7'").await;
    prepare(&mut session, &mine, "'order ''8'''").await;
    let (blockers, _) = blocked(&before, 2).await;
    let gids: Vec<_> = blockers.iter().map(|b| b.prepared_gid.as_deref()).collect();
    assert_eq!(gids, [Some("order 7"), Some("order '8'")]);
    for blocker in &blockers {
        assert_eq!(
            (blocker.pid, blocker.state.as_deref()),
            (None, Some("prepared"))
        );
        assert!(blocker.in_transaction_since.is_some());
    }

    // Not even the server's end is theirs.
    server.restart().unwrap();
    let world = World::at(server.url()).await;
    let (again, told) = blocked(&world, 2).await;
    assert_eq!(again, blockers);
    // Each is ended by what the message says.
    let mut ended = 0;
    for words in told.split("(rollback").skip(1) {
        let (rest, _) = words.split_once(')').unwrap();
        let statement = AssertSqlSafe(format!("rollback{rest}"));
        world.session().await.run(statement).await;
        ended += 1;
    }
    assert_eq!(ended, 2, "{told}");
    world.client().await.open(&permit("r", 2)).await;
    assert_eq!(count(&world, "select count(*) from note").await, 0);
}

/// What bounds everybody else does not bound it, and it ends in the order that the guard promises: what it has written
/// is there before its successor reads.
#[tokio::test]
async fn the_limits_that_end_an_idle_holder_do_not_end_a_prepared_one() {
    let server = server();
    let (world, mine) = world(&server).await;
    let mut prepared = world.session().await;
    prepare(&mut prepared, &mine, "'order 7'").await;
    let mut idle = world.session().await;
    begin(&mut idle, &mine).await;
    let gone = "select not exists (select from pg_stat_activity where pid = $1)";
    until(&world, "the end of the idle one", gone, idle.pid).await;

    let (blockers, _) = blocked(&world, 2).await;
    assert_eq!(blockers.len(), 1, "{blockers:?}");
    assert_eq!(blockers[0].prepared_gid.as_deref(), Some("order 7"));
    let opener = world.client().await;
    let opening = opener.start_open(&permit("r", 2));
    // It has no backend that the opening could be seen to wait for.
    let waits = "select exists (select from pg_locks where pid = $1 and not granted)";
    until(&world, "the wait of the opening", waits, opener.pid).await;
    prepared.run("commit prepared 'order 7'").await;
    opening.done().await.unwrap();
    assert_eq!(count(&world, "select count(*) from note").await, 1);
}

/// It bore another name before it was prepared, so nobody can tell whether a transaction of that name has ended.
#[tokio::test]
async fn while_a_transaction_is_prepared_the_horizon_says_that_it_does_not_know_all() {
    let server = server();
    let (world, mine) = world(&server).await;
    let guard = world.client().await.guard;
    let mut session = world.session().await;
    prepare(&mut session, &mine, "'horizon'").await;
    let prepared = guard.horizon().await.unwrap();
    assert!(
        !prepared.is_whole && !prepared.have_ended(&[]),
        "{prepared:?}"
    );
    session.run("rollback prepared 'horizon'").await;
    assert!(
        guard
            .horizon()
            .await
            .unwrap()
            .have_ended(&prepared.in_flight)
    );
}
