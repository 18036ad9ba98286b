//! S10: a holder that stands still inside its transaction is ended by the server, and its successor
//! gets through. `frozen_while_receiving` is the holder that stands still while rows come in.

use std::time::Duration;

use fence_guard::{Permit, StoreError};
use promises::{HOLD, Session, World, permit, within};
use testbed::{Options, PostgresServer};
use uuid::Uuid;

/// What the holder says it may stand still; the guard makes one second of it.
const STANDS_STILL: Duration = Duration::from_millis(100);

/// The successor's opening has its usual bound of ten seconds, and uses about one.
#[tokio::test]
async fn a_holder_that_stands_still_in_its_transaction_is_ended_and_writes_nothing() {
    let world = World::new().await;
    let (frozen, successor) = (world.client().await, world.client().await);
    let table = sqlx::raw_sql("create table note (text text)");
    table.execute(world.pool()).await.unwrap();
    let first = frozen.open(&permit("r", 1)).await;
    let begun = frozen
        .guard
        .begin(&first, "query", Uuid::nil(), STANDS_STILL)
        .await;
    let mut tx = begun.unwrap();
    let note = sqlx::query("insert into note values ('late')");
    note.execute(&mut *tx).await.unwrap();

    let opened = within(
        "an opening behind a frozen holder",
        successor.guard.open(&permit("r", 2), HOLD),
    )
    .await;
    assert!(opened.unwrap().is_takeover());
    let committed = tx.commit().await;
    assert!(
        matches!(
            committed,
            Err(StoreError::Failed(_) | StoreError::Unknown(_))
        ),
        "{committed:?}"
    );
    let notes: i64 = sqlx::query_scalar("select count(*) from note")
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(notes, 0);
}

#[tokio::test]
async fn a_time_below_one_second_becomes_one_second_and_not_no_limit() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    for valid_for in [STANDS_STILL, Duration::from_nanos(1)] {
        let begun = client
            .guard
            .begin(&open, "query", Uuid::nil(), valid_for)
            .await;
        let mut tx = begun.unwrap();
        let limit = sqlx::query_scalar("show idle_in_transaction_session_timeout");
        let limit: String = limit.fetch_one(&mut *tx).await.unwrap();
        assert_eq!(limit, "1s", "{valid_for:?}");
        tx.rollback().await.unwrap();
    }
}

/// On TCP, because `tcp_user_timeout` shows 0 on every other connection.
#[tokio::test]
async fn a_shorter_limit_of_the_session_stays_and_a_longer_one_is_back_after_the_commit() {
    let server = PostgresServer::start(&Options::throw_away()).unwrap();
    let world = World::at(server.url()).await;
    let mut session = world.session().await;
    let mine = permit("r", 1);
    session.open(&mine).await.unwrap();
    // The sessions' admissions are valid for two minutes, their openings wait for ten seconds.
    for (setting, call, shorter, longer, ours) in [
        (
            "idle_in_transaction_session_timeout",
            Call::Admit,
            "90s",
            "1h",
            "2min",
        ),
        (
            "idle_in_transaction_session_timeout",
            Call::Admit,
            "90s",
            "0",
            "2min",
        ),
        ("tcp_user_timeout", Call::Admit, "90s", "1h", "2min"),
        ("tcp_user_timeout", Call::Admit, "90s", "0", "2min"),
        ("lock_timeout", Call::Open, "9s", "1h", "10s"),
        ("lock_timeout", Call::Open, "9s", "0", "10s"),
    ] {
        let kept = within_call(&mut session, &mine, call, setting, shorter).await;
        assert_eq!(kept, [ms(shorter), ms(shorter)], "{setting}");
        let shortened = within_call(&mut session, &mine, call, setting, longer).await;
        assert_eq!(shortened, [ms(ours), ms(longer)], "{setting} from {longer}");
    }
}

/// It has nothing to do but to commit, and holds the share lock that the rightful holder waits for. And no
/// transaction stands still for longer than an hour, whatever it asked for.
#[tokio::test]
async fn a_refused_transaction_gets_a_second_and_an_admitted_one_an_hour_at_the_most() {
    let world = World::new().await;
    let (client, mut session) = (world.client().await, world.session().await);
    let open = client.open(&permit("r", 2)).await;
    session.run("begin").await;
    let refused = session.admit(&[&permit("r", 1)]).await.unwrap();
    assert_eq!(refused.outcome, "stale");
    let limit = "idle_in_transaction_session_timeout";
    assert_eq!(read_ms(&mut session, limit).await, 1000);
    session.run("commit").await;

    let week = std::time::Duration::from_secs(7 * 86_400);
    let nil = uuid::Uuid::nil();
    let mut tx = client.guard.begin(&open, "long", nil, week).await.unwrap();
    let shown: String = sqlx::query_scalar("show idle_in_transaction_session_timeout")
        .fetch_one(&mut *tx)
        .await
        .unwrap();
    assert_eq!(shown, "1h");
    tx.rollback().await.unwrap();
}

#[derive(Debug, Clone, Copy)]
enum Call {
    Open,
    Admit,
}

/// The setting, in ms, after a call in its transaction, and after that transaction.
async fn within_call(
    session: &mut Session,
    mine: &Permit,
    call: Call,
    setting: &'static str,
    value: &str,
) -> [i64; 2] {
    let set = sqlx::query("select set_config($1, $2, false)")
        .bind(setting)
        .bind(value);
    set.execute(&mut session.connection).await.unwrap();
    session.run("begin").await;
    let answer = match call {
        Call::Open => session.open(&permit("settings", 1)).await,
        Call::Admit => session.admit(&[mine]).await,
    };
    assert!(["opened", "admitted"].contains(&&*answer.unwrap().outcome));
    let inside = read_ms(session, setting).await;
    session.run("rollback").await;
    [inside, read_ms(session, setting).await]
}

async fn read_ms(session: &mut Session, setting: &str) -> i64 {
    let setting =
        sqlx::query_scalar("select setting::bigint from pg_settings where name = $1").bind(setting);
    setting.fetch_one(&mut session.connection).await.unwrap()
}

/// A time as Postgres writes it, in ms.
fn ms(time: &str) -> i64 {
    let digits = time.trim_end_matches(char::is_alphabetic);
    let unit = match &time[digits.len()..] {
        "s" => 1000,
        "min" => 60_000,
        "h" => 3_600_000,
        _ => 1,
    };
    digits.parse::<i64>().unwrap() * unit
}
