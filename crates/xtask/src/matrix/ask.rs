//! What a server says that it is.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::folder::Folder;
use super::outcome::Outcome;
use super::server::Server;
use super::suite::choose;
use crate::step::{cargo, last_words, logged};

/// The answers of one server, as the example `ask` prints them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answers {
    /// Such as `Valkey 9.1.2` or `PostgreSQL 18.6`.
    pub(crate) version: String,
    /// Which commands it has that compare and delete in one step; `None` for a Postgres.
    pub(crate) commands: Option<Vec<String>>,
}

/// The status with which the example says that there is no such program.
const NOT_FOUND: i32 = 3;

/// Starts the server, asks it, and stops it. The inner error is what came of a server that did not
/// answer: not tested when there is none, failed when it did not come up.
pub(crate) fn ask(
    server: &Server,
    programs: Option<&Path>,
    folder: &Folder,
) -> io::Result<Result<Answers, Outcome>> {
    let mut command = example("run");
    command.arg("--").arg(server.family.word());
    choose(server.family, programs, &mut command);
    let log = folder.log(&format!("{}-asked", server.name));
    let status = logged(server.name, "asks what it is", &command, &log)?;
    let why = || format!("{} ({status})", last_words(&log));
    if status.code() == Some(NOT_FOUND) {
        return Ok(Err(Outcome::NotTested { why: why() }));
    }
    let answers = Answers::parse(&fs::read_to_string(&log)?).filter(|_| status.success());
    Ok(answers.ok_or_else(|| Outcome::Failed { why: why() }))
}

/// The command that builds what asks.
pub(crate) fn build() -> Command {
    example("build")
}

fn example(verb: &str) -> Command {
    cargo(&[verb, "--quiet", "--package", "xtask", "--example", "ask"])
}

impl Answers {
    fn parse(text: &str) -> Option<Answers> {
        let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Some(Answers {
            version: line("version: ")?.to_owned(),
            commands: line("commands:").map(words),
        })
    }

    /// `yes` or `no` for a command of Redis, a dash where it cannot be asked for.
    pub(crate) fn has(&self, command: &str) -> &'static str {
        match &self.commands {
            None => "-",
            Some(commands) if commands.iter().any(|name| name == command) => "yes",
            Some(_) => "no",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redis_without_either_command_is_told_from_a_server_without_commands() {
        let redis = Answers::parse("version: Redis 7.0.15\ncommands:\n").unwrap();
        assert_eq!(redis.has("DELEX"), "no");
        let postgres = Answers::parse("version: PostgreSQL 16.15\n").unwrap();
        assert_eq!(postgres.has("DELEX"), "-");
    }

    #[test]
    fn each_command_is_told_from_the_other() {
        let valkey = Answers::parse("a warning\nversion: Valkey 9.1.2\ncommands: DELIFEQ\n");
        let valkey = valkey.unwrap();
        assert_eq!(valkey.version, "Valkey 9.1.2");
        assert_eq!((valkey.has("DELEX"), valkey.has("DELIFEQ")), ("no", "yes"));
    }

    #[test]
    fn a_server_that_did_not_tell_its_version_has_not_answered() {
        assert_eq!(Answers::parse("error: it ended (signal: 6)\n"), None);
    }
}
