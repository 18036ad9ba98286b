//! `ledger watch` while things happen.

use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use promises::{World, permit, within};
use serde_json::Value;
use testbed::{Options, PostgresServer};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdout};

use crate::support::{Stage, ledger};

/// It looks once a second: so it has done that more often than it takes to take a number for settled.
const LOOKS: Duration = Duration::from_secs(4);

/// A watch that has begun.
pub(crate) struct Watching {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    errors: Lines<BufReader<ChildStderr>>,
}

impl Watching {
    pub(crate) async fn start(url: &str, options: &[&str]) -> Watching {
        let mut command = ledger(url);
        let command = command
            .arg("watch")
            .args(["--format", "json"])
            .args(options);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut watching = Watching {
            lines: BufReader::new(child.stdout.take().unwrap()).lines(),
            errors: BufReader::new(child.stderr.take().unwrap()).lines(),
            child,
        };
        watching.until_said("watching").await;
        watching
    }

    /// What is told next.
    pub(crate) async fn next(&mut self) -> Value {
        let line = within("what is told next", self.lines.next_line())
            .await
            .unwrap();
        serde_json::from_str(&line.expect("it goes on")).expect("each line is JSON")
    }

    /// The event and the fence of what is told next.
    pub(crate) async fn next_event(&mut self) -> (String, String) {
        let next = self.next().await;
        let text = |name: &str| next[name].as_str().unwrap().to_owned();
        (text("event"), text("fence"))
    }

    /// Lets it look again and again while there is nothing to be told.
    pub(crate) async fn looks_for(&mut self, time: Duration) {
        let told = tokio::time::timeout(time, self.lines.next_line()).await;
        assert!(told.is_err(), "{told:?}");
    }

    /// Returns once something is said on standard error.
    pub(crate) async fn until_said(&mut self, what: &str) {
        loop {
            let line = within(what, self.errors.next_line()).await.unwrap();
            if line.expect("it goes on").contains(what) {
                return;
            }
        }
    }

    /// Ends it as Ctrl-C does: the exit status, and what it had told beyond what was looked at.
    pub(crate) async fn end(mut self) -> (Option<i32>, Vec<String>) {
        let pid = self.child.id().expect("it runs").cast_signed();
        kill(Pid::from_raw(pid), Signal::SIGINT).unwrap();
        let status = within("its end", self.child.wait()).await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.lines.next_line().await.unwrap() {
            rest.push(line);
        }
        (status.code(), rest)
    }
}

fn event(event: &str, fence: u64) -> (String, String) {
    (event.to_owned(), fence.to_string())
}

#[tokio::test]
async fn openings_takeovers_and_refusals_are_told_once_as_they_happen_and_nothing_from_before() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    stage.come_late("before", &alice, 1).await;
    let mut watching = Watching::start(stage.url(), &[]).await;
    let late = stage.come_late("r", &alice, 3).await;
    for expected in [
        event("opening", 1),
        event("takeover", 2),
        event("refusal", 1),
    ] {
        assert_eq!(watching.next_event().await, expected);
    }
    stage.client.close(&late.rightful).await;
    stage.client.open(&permit("r", 3)).await;
    let next = watching.next().await;
    assert_eq!(
        (&next["event"], &next["resource"]),
        (&"opening".into(), &"r".into())
    );
    assert_eq!(watching.end().await, (Some(0), vec![]));
}

#[tokio::test]
async fn a_row_that_commits_late_under_a_lower_number_is_told_all_the_same() {
    let stage = Stage::new().await;
    let mut watching = Watching::start(stage.url(), &[]).await;
    let mut slow = stage.world.session().await;
    slow.run("begin").await;
    slow.open(&permit("slow", 7)).await.unwrap();
    for fence in 1..=3 {
        stage.client.open(&permit("quick", fence)).await;
    }
    for expected in [
        event("opening", 1),
        event("takeover", 2),
        event("takeover", 3),
    ] {
        assert_eq!(watching.next_event().await, expected);
    }
    slow.run("commit").await;
    assert_eq!(watching.next_event().await, event("opening", 7));
    assert_eq!(watching.end().await, (Some(0), vec![]));
}

/// Nothing else happens on the server meanwhile: the transaction that is open is the newest of all, and whatever counts
/// only those that have ended does not see it.
#[tokio::test]
async fn a_row_of_the_newest_transaction_of_all_is_told_however_late_it_commits() {
    let mut server = PostgresServer::start(&Options::throw_away()).unwrap();
    let world = World::at(server.url()).await;
    let mut watching = Watching::start(server.url(), &[]).await;
    let mut slow = world.session().await;
    slow.run("begin").await;
    slow.open(&permit("slow", 1)).await.unwrap();
    watching.looks_for(LOOKS).await;
    slow.run("commit").await;
    assert_eq!(watching.next_event().await, event("opening", 1));
    assert_eq!(watching.end().await, (Some(0), vec![]));
    server.stop().unwrap();
}

#[tokio::test]
async fn it_begins_when_it_is_told_to_and_leaves_out_what_is_not_asked_for() {
    let stage = Stage::new().await;
    let alice = stage.world.account("alice", 10).await;
    stage.come_late("a", &alice, 1).await;
    stage.come_late("b", &alice, 1).await;
    let mut watching = Watching::start(
        stage.url(),
        &["--since", "1h", "--resource", "b", "--reason", "stale"],
    )
    .await;
    for _ in 0..3 {
        assert_eq!(watching.next().await["resource"], "b");
    }
    stage.client.open(&permit("a", 3)).await;
    stage.client.open(&permit("b", 3)).await;
    assert_eq!(watching.next_event().await, event("takeover", 3));
    assert_eq!(watching.end().await, (Some(0), vec![]));
}
