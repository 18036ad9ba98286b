//! Which SQLSTATE becomes which problem. What a Postgres can be brought to say is provoked: a lock that does not come, a
//! deadlock, a limit, a cancelled statement. The rest a real one raises by its number.

use std::time::Duration;

use fence_guard::http::{Problem, ProblemType};
use fence_guard::{Error, Guard, GuardedTx, StoreError};
use hyper::header::RETRY_AFTER;
use promises::{Client, HOLD, World, permit, sqlstate, start, within};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use testbed::{Options, PostgresServer};
use uuid::Uuid;

use crate::service::world;

/// Nothing was written, and the same call may succeed later. No time is told: there is none to be known.
const UNAVAILABLE: ProblemType = ProblemType::Unavailable;

/// That a call which Postgres answered with this SQLSTATE is this problem.
#[track_caller]
fn assert_answered(error: Error, sqlstate: &str, kind: ProblemType) {
    let (Error::Store(StoreError::Failed(said)) | Error::Store(StoreError::Unknown(said))) = &error
    else {
        panic!("it had to be {sqlstate}, it came to {error}");
    };
    let code = said.as_database_error().and_then(|answer| answer.code());
    assert_eq!(code.as_deref(), Some(sqlstate), "{said}");
    assert_problem(error.into(), kind);
}

#[track_caller]
fn assert_problem(problem: Problem, kind: ProblemType) {
    let text = format!("{problem:?}");
    assert_eq!(
        (problem.kind(), problem.retry_after()),
        (kind, None),
        "{text}"
    );
    let answer = problem.into_http();
    assert_eq!(answer.status(), kind.status(), "{text}");
    assert!(!answer.headers().contains_key(RETRY_AFTER), "{text}");
}

/// A guarded transaction of `r`, open under fence 1.
async fn begun(client: &Client) -> GuardedTx {
    let open = client.open(&permit("r", 1)).await;
    client.begin(&open).await
}

#[tokio::test]
async fn a_write_that_does_not_get_its_lock_in_time_may_be_tried_again() {
    let world = world().await;
    let (client, mut successor) = (world.client().await, world.session().await);
    let open = client.open(&permit("r", 1)).await;
    successor.run("begin").await;
    successor.open(&permit("r", 2)).await.unwrap();
    let impatient = client.guard.pool().execute("set lock_timeout = '20ms'");
    impatient.await.unwrap();
    let begun = client.guard.begin(&open, "note", Uuid::nil(), HOLD).await;
    assert_answered(begun.unwrap_err(), "55P03", UNAVAILABLE);
}

#[tokio::test]
async fn a_transaction_that_was_ended_for_standing_still_may_be_tried_again() {
    let world = world().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    let least = Duration::from_nanos(1);
    let begun = client.guard.begin(&open, "note", Uuid::nil(), least).await;
    let tx = begun.unwrap();
    // Whoever opens next gets in as soon as it was ended.
    let next = permit("r", 2);
    let successor = world.client().await;
    within("the successor", successor.guard.open(&next, HOLD))
        .await
        .unwrap();
    assert_answered(tx.commit().await.unwrap_err().into(), "25P03", UNAVAILABLE);
}

/// Postgres has this limit from 17 on; before, nobody can set it.
#[tokio::test]
async fn a_transaction_that_was_ended_because_it_took_too_long_may_be_tried_again() {
    let world = world().await;
    let client = world.client().await;
    let mut tx = begun(&client).await;
    let limited = tx.execute("set local transaction_timeout = '1ms'").await;
    let version = "select current_setting('server_version_num')::int";
    let version: i32 = sqlx::query_scalar(version)
        .fetch_one(world.pool())
        .await
        .unwrap();
    if version < 170_000 {
        assert_eq!(sqlstate(limited), "42704");
        return;
    }
    // It comes to an end by that limit alone.
    let ended = match limited {
        Ok(_) => tx.execute("select pg_sleep(60)").await.unwrap_err(),
        Err(ended) => ended,
    };
    assert_answered(ended.into(), "25P04", UNAVAILABLE);
    // Whoever opens next gets in.
    let successor = world.client().await;
    within("the successor", successor.guard.open(&permit("r", 2), HOLD))
        .await
        .unwrap();
}

/// As a primary does that was demoted, and a standby that is to be promoted.
#[tokio::test]
async fn a_write_to_a_server_that_takes_none_may_be_tried_again() {
    let world = world().await;
    let client = world.client().await;
    let pool = client.guard.pool();
    pool.execute("set default_transaction_read_only = on")
        .await
        .unwrap();
    let opened = client.guard.open(&permit("r", 1), HOLD).await;
    assert_answered(opened.unwrap_err(), "25006", UNAVAILABLE);
}

#[tokio::test]
async fn the_victim_of_a_deadlock_may_try_again() {
    let world = world().await;
    let (client, mut other) = (world.client().await, world.session().await);
    other
        .run("create table pair (name text); insert into pair values ('a'), ('b')")
        .await;
    let mut tx = begun(&client).await;
    tx.execute("update pair set name = name where name = 'a'")
        .await
        .unwrap();
    other
        .run("begin; update pair set name = name where name = 'b'")
        .await;
    let pid = other.pid;
    let waits = start(async move {
        other
            .attempt("update pair set name = name where name = 'a'")
            .await
    });
    world.until_blocked(pid, client.pid).await;
    // Only who waits looks for a deadlock, once, when this time is over: so it is this one.
    tx.execute("set local deadlock_timeout = '1ms'")
        .await
        .unwrap();
    let crossed = tx
        .execute("update pair set name = name where name = 'b'")
        .await;
    assert_answered(crossed.unwrap_err().into(), "40P01", UNAVAILABLE);
    tx.rollback().await.unwrap();
    waits.done().await.unwrap();
}

#[tokio::test]
async fn a_call_that_was_cancelled_may_be_tried_again() {
    let world = world().await;
    let (client, writer) = (world.client().await, world.client().await);
    let _in_flight = begun(&writer).await;
    let pool = client.guard.pool();
    pool.execute("set statement_timeout = '50ms'")
        .await
        .unwrap();
    let opened = client.guard.open(&permit("r", 2), HOLD).await;
    assert_answered(opened.unwrap_err(), "57014", UNAVAILABLE);
}

#[tokio::test]
async fn a_statement_for_which_there_is_no_room_may_be_tried_again() {
    let world = world().await;
    let client = world.client().await;
    let mut tx = begun(&client).await;
    tx.execute("set local temp_file_limit = 0; set local work_mem = '64kB'")
        .await
        .unwrap();
    let sorts =
        "select count(*) from (select n from generate_series(1, 100000) n order by -n offset 1) s";
    let sorted = tx.execute(sorts).await;
    assert_answered(sorted.unwrap_err().into(), "53400", UNAVAILABLE);
}

/// On a server of its own, where roles can be made.
#[tokio::test]
async fn a_service_that_gets_no_connection_may_try_again() {
    let server = PostgresServer::start(&Options::throw_away()).unwrap();
    let world = World::at(server.url()).await;
    let role = "create role service login connection limit 0";
    world.session().await.run(role).await;
    let url = server.url().replace("postgres@", "service@");
    let refused = PgConnection::connect(&url).await.unwrap_err();
    assert_answered(refused.into(), "53300", UNAVAILABLE);
    // A pool goes on trying for a while, and says then that its time is over.
    let pool = PgPoolOptions::new().acquire_timeout(Duration::from_millis(50));
    let guard = Guard::new(pool.connect_lazy(&url).unwrap());
    let opened = within("a pool's patience", guard.open(&permit("r", 1), HOLD)).await;
    assert_problem(opened.unwrap_err().into(), UNAVAILABLE);
}

#[tokio::test]
async fn every_state_that_postgres_can_raise_is_answered_by_what_it_says_of_the_write() {
    // The server has ended the connection, has lost it, or does not know itself.
    let unknown = [
        "08000", "08003", "08006", "40003", "57P01", "57P02", "57P03", "57P04", "57P05",
    ];
    let may_pass = [
        "25006", "25P03", "25P04", "40000", "40001", "40002", "40P01", "53000", "53100", "53200",
        "53300", "53400", "55000", "55006", "55P03", "57000", "57014",
    ];
    // What Postgres says no to, it will say no to again; and whatever it has no word for.
    let no = [
        "0A000", "22003", "23505", "25000", "25001", "25P02", "28000", "3D000", "42501", "42883",
        "42P01", "54000", "58030", "P0001", "XX000",
    ];
    let world = world().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    for (states, kind) in [
        (&unknown[..], ProblemType::Unknown),
        (&may_pass, UNAVAILABLE),
        (&no, ProblemType::Internal),
    ] {
        for state in states {
            let mut tx = client.begin(&open).await;
            let raise = format!("do $$ begin raise exception using errcode = '{state}'; end $$");
            let raised = tx.execute(AssertSqlSafe(raise)).await.unwrap_err();
            let code = raised.as_database_error().and_then(|said| said.code());
            assert_eq!(code.as_deref(), Some(*state));
            assert_problem(raised.into(), kind);
            tx.rollback().await.unwrap();
        }
    }
}
