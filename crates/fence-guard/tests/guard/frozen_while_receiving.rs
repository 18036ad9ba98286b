//! S10: a holder that is frozen while rows come in. Its transaction is not idle: the server works,
//! and waits for a client that does not take what it gets. Only `tcp_user_timeout` ends that.
//!
//! The holder has to be another process, because this one would freeze itself: the test runs its
//! own program again, where the variable `READER` tells it to be the holder.

use std::env;
use std::process::{Command, Stdio};
use std::time::Duration;

use fence_guard::{Guard, Permit};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use promises::{BLOCKED_WITHIN, HOLD, World, permit, within};
use sqlx::PgPool;
use testbed::{Options, PostgresServer, spawn_tied};
use uuid::Uuid;

use crate::support::until_told;

/// The variable that makes a reader of this program; it holds the URL.
const READER: &str = "FENCE_GUARD_TEST_READER";
/// The test that the reader runs: the one below.
const TEST: &str =
    "frozen_while_receiving::a_holder_frozen_while_rows_come_in_is_ended_and_its_successor_opens";
/// What the reader says it may stand still.
const STANDS_STILL: Duration = Duration::from_millis(100);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_holder_frozen_while_rows_come_in_is_ended_and_its_successor_opens() {
    if let Ok(url) = env::var(READER) {
        return read_much(&url).await;
    }
    let server = PostgresServer::start(&Options::throw_away()).unwrap();
    let world = World::at(server.url()).await;
    let (mut gate, successor) = (world.session().await, world.client().await);
    gate.run("select pg_advisory_lock(7)").await;

    let reader = Reader::start(server.url());
    let backend = until_told("the reader stands at the gate", BLOCKED_WITHIN, || {
        behind(world.pool(), gate.pid)
    })
    .await;
    reader.freeze();
    gate.run("select pg_advisory_unlock(7)").await;
    until_told("its connection is full", BLOCKED_WITHIN, || {
        waits_for_client(world.pool(), backend)
    })
    .await;

    let opened = within(
        "an opening behind a frozen reader",
        successor.guard.open(&permit("r", 2), HOLD),
    )
    .await;
    assert!(opened.unwrap().is_takeover());
}

/// The holder: opens, begins, and reads more than any buffer between the two can hold.
async fn read_much(url: &str) {
    let guard = Guard::connect(url).await.unwrap();
    let mine: Permit = permit("r", 1);
    let open = guard.open(&mine, HOLD).await.unwrap();
    let begun = guard
        .begin(&open, "export", Uuid::nil(), STANDS_STILL)
        .await;
    let mut tx = begun.unwrap();
    let rows = sqlx::query(include_str!("large_result.sql")).execute(&mut *tx);
    rows.await.unwrap();
}

/// The backend that waits for `pid`.
async fn behind(pool: &PgPool, pid: i32) -> Option<i32> {
    let waiting = "select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
    let waiting = sqlx::query_scalar(waiting).bind(pid);
    waiting.fetch_optional(pool).await.unwrap()
}

/// Whether the backend waits until its client takes something.
async fn waits_for_client(pool: &PgPool, pid: i32) -> Option<()> {
    let event = "select from pg_stat_activity where pid = $1 and wait_event = 'ClientWrite'";
    let event = sqlx::query(event).bind(pid).fetch_optional(pool);
    event.await.unwrap().map(|_| ())
}

/// This program as the holder; killed when it is dropped.
struct Reader(std::process::Child);

impl Reader {
    fn start(url: &str) -> Reader {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", TEST]).env(READER, url);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Reader(spawn_tied(command, Signal::SIGKILL).unwrap())
    }

    /// Freezes it, and waits until it is.
    fn freeze(&self) {
        let pid = Pid::from_raw(self.0.id().cast_signed());
        kill(pid, Signal::SIGSTOP).unwrap();
        let status = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).unwrap();
        assert_eq!(status, WaitStatus::Stopped(pid, Signal::SIGSTOP));
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // A test that fails early leaves a reader that has ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
