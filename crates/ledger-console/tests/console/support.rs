//! A database of one test, and the program that asks it.

use std::process::{Output, Stdio};
use std::sync::Arc;

use credit_ledger::{Account, Charge, Purpose};
use fence_guard::{OpenPermit, Permit};
use promises::{Client, MustRefuse, World, charge, permit, within};
use serde_json::Value;
use testbed::TestDatabase;
use tokio::process::Command;

/// A database with both schemas.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) client: Client,
    database: TestDatabase,
}

/// What the program has printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Stage {
    pub(crate) async fn new() -> Stage {
        let thread = std::thread::current();
        let database = testbed::database(thread.name().unwrap_or("console")).await;
        let world = World::at(database.url()).await;
        Stage {
            client: world.client().await,
            world,
            database,
        }
    }

    pub(crate) fn url(&self) -> &str {
        self.database.url()
    }

    /// Asks this database.
    pub(crate) async fn ask(&self, arguments: &[&str]) -> Answer {
        ask(self.url(), arguments).await
    }

    /// The rows of a list, whole.
    pub(crate) async fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        let arguments = [arguments, &["--format", "json"]].concat();
        let answer = self.ask(&arguments).await;
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let lines = answer.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("each line is JSON"))
            .collect()
    }

    /// Opens under fence 1, takes that over under fence 2, and comes with a charge that is refused, so often.
    pub(crate) async fn come_late(&self, name: &str, alice: &Account, attempts: u32) -> Late {
        let late = self.client.open(&permit(name, 1)).await;
        let mine = permit(name, 2);
        let rightful = self.client.open(&mine).await;
        let charge = Charge {
            purpose: Purpose::new("one query").unwrap(),
            ..charge(alice, 3)
        };
        for _ in 0..attempts {
            let refused = self.client.ledger.charge(&late, &charge).await;
            refused.must_refuse();
        }
        Late {
            late: late.permit().clone(),
            rightful,
        }
    }
}

/// A holder that came late, and the one that it came late against.
pub(crate) struct Late {
    pub(crate) late: Permit,
    pub(crate) rightful: Arc<OpenPermit>,
}

/// The program, with that database and without a Redis.
pub(crate) fn ledger(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger"));
    command
        .env("DATABASE_URL", url)
        .env_remove("REDIS_URL")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

pub(crate) async fn ask(url: &str, arguments: &[&str]) -> Answer {
    answer(ledger(url).args(arguments)).await
}

pub(crate) async fn answer(command: &mut Command) -> Answer {
    let output = within("an answer", command.output()).await;
    let Output {
        status,
        stdout,
        stderr,
    } = output.expect("the program starts");
    Answer {
        code: status.code(),
        stdout: String::from_utf8(stdout).expect("it prints UTF-8"),
        stderr: String::from_utf8(stderr).expect("it prints UTF-8"),
    }
}
