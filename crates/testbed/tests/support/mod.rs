//! A doomed process, and the processes that must not outlive it.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Servers have this long to be gone; a busy machine needs a part of it.
pub(crate) const GONE_WITHIN: Duration = Duration::from_secs(30);
/// How often the list of processes is read while waiting.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A running `doomed` with what it said about itself.
pub(crate) struct Doomed {
    process: Child,
    facts: HashMap<String, String>,
}

impl Doomed {
    /// Starts it and waits for its line.
    pub(crate) fn start(arguments: &[&str]) -> Doomed {
        let mut process = Command::new(env!("CARGO_BIN_EXE_doomed"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "doomed {arguments:?} ended early");
        let facts = line.split_whitespace().filter_map(|fact| {
            let (name, value) = fact.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        Doomed {
            facts: facts.collect(),
            process,
        }
    }

    pub(crate) fn fact(&self, name: &str) -> &str {
        &self.facts[name]
    }

    pub(crate) fn pid(&self) -> i32 {
        self.process.id().cast_signed()
    }

    /// Asks it to end by itself, in the way that `word` names, and waits for it.
    pub(crate) fn ends_by(&mut self, word: &str) {
        let mut input = self.process.stdin.take().unwrap();
        writeln!(input, "{word}").unwrap();
        self.process.wait().unwrap();
    }

    /// Kills it and waits for it.
    pub(crate) fn dies_of(&mut self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        // Only a failing test leaves it running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One process, told from later bearers of its number by the time it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) name: String,
    pub(crate) parent: i32,
    started: String,
    zombie: bool,
}

impl Process {
    fn read(pid: i32) -> Option<Process> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (head, tail) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = tail.split_whitespace().collect();
        Some(Process {
            pid,
            name: head.split_once('(')?.1.to_owned(),
            parent: fields[1].parse().ok()?,
            started: fields[19].to_owned(),
            zombie: fields[0] == "Z",
        })
    }

    pub(crate) fn is_running(&self) -> bool {
        Process::read(self.pid).is_some_and(|now| now.started == self.started && !now.zombie)
    }
}

/// All processes below `root`: children, their children, and so on.
pub(crate) fn descendants(root: i32) -> Vec<Process> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all: Vec<Process> = pids.filter_map(Process::read).collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        let children = all.iter().filter(|process| process.parent == parent);
        for child in children {
            parents.push(child.pid);
            found.push(child.clone());
        }
    }
    found
}

/// Those of `processes` that still run after `bound`; empty as soon as all are gone.
pub(crate) fn survivors(processes: &[Process], bound: Duration) -> Vec<Process> {
    let deadline = Instant::now() + bound;
    loop {
        let running = processes.iter().filter(|process| process.is_running());
        let running: Vec<Process> = running.cloned().collect();
        if running.is_empty() || Instant::now() > deadline {
            return running;
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Whether `path` is gone within [`GONE_WITHIN`].
pub(crate) fn disappears(path: &Path) -> bool {
    let deadline = Instant::now() + GONE_WITHIN;
    while path.exists() {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(LOOK_EVERY);
    }
    true
}
