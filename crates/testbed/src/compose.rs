//! The repository's containers, for machines with a Docker engine but without the servers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::Error;
use crate::child::TiedChild;
use crate::error::{Doing, ServerName};

/// The Redis that `docker-compose.yml` publishes.
pub(crate) const REDIS_URL: &str = "redis://127.0.0.1:16379/";
/// The Postgres that `docker-compose.yml` publishes.
pub(crate) const DATABASE_URL: &str = "postgres://postgres@127.0.0.1:15432/postgres";
/// What to tell whoever wants the containers to go.
pub(crate) const TAKE_DOWN: &str =
    "the containers go on running: `docker compose down` in the repository takes them down";

/// An engine on another machine may not answer at all.
const INFO_WITHIN: Duration = Duration::from_secs(10);

/// Checks that a Docker engine answers, not only that its client is installed.
///
/// The error is half a sentence: what keeps the containers from running.
pub(crate) fn engine() -> Result<(), String> {
    if !file().exists() {
        return Err("the repository's docker-compose.yml is not there".to_owned());
    }
    answers("docker", &["info", "--format", "{{.ServerVersion}}"])?;
    answers("docker", &["compose", "version"])
}

/// Starts the containers of `servers` and waits until they are healthy.
pub(crate) fn up(servers: &[ServerName]) -> Result<(), Error> {
    let mut command = Command::new("docker");
    command.arg("compose").arg("--file").arg(file());
    command.args(["up", "--detach", "--wait"]);
    command.args(servers.iter().map(ToString::to_string));
    // Pulling images takes a while, so the progress goes to the terminal as it comes.
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let tool = "docker compose up";
    let status = command.status().doing(|| format!("run {tool}"))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Tool {
        tool: tool.to_owned(),
        status: status.to_string(),
        output: "its own words stand above".to_owned(),
    })
}

/// The file of the repository that this crate was built in.
fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docker-compose.yml")
}

fn answers(program: &str, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let line = format!("`{program} {}`", arguments[0]);
    let child =
        TiedChild::spawn(command, Signal::SIGKILL).map_err(|_| format!("{line} cannot be run"))?;
    match child.ended_within(INFO_WITHIN) {
        Some(status) if status.success() => Ok(()),
        Some(_) => Err(format!("{line} does not answer")),
        None => {
            child.signal(Signal::SIGKILL);
            Err(format!("{line} does not answer within {INFO_WITHIN:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_is_missing_or_finds_no_engine_is_named() {
        let missing = answers("no-such-docker", &["info"]).unwrap_err();
        assert_eq!(missing, "`no-such-docker info` cannot be run");
        let failing = answers("false", &["info"]).unwrap_err();
        assert_eq!(failing, "`false info` does not answer");
        assert_eq!(answers("true", &["info"]), Ok(()));
    }

    #[test]
    fn the_urls_are_those_that_the_compose_file_publishes() {
        let text = std::fs::read_to_string(file()).unwrap();
        assert!(text.contains(r#""127.0.0.1:16379:6379""#), "{text}");
        assert!(text.contains(r#""127.0.0.1:15432:5432""#), "{text}");
        assert!(REDIS_URL.contains(":16379") && DATABASE_URL.contains(":15432"));
    }
}
