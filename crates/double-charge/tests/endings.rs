//! However the program ends, it leaves nothing behind: no worker, also no frozen one, and no server.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long a worker may take until it is frozen, and everything until it is gone.
const WITHIN: Duration = Duration::from_secs(60);
/// How often the process table is looked at: neither freezing nor ending of another's child is an event.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A process, told from a later bearer of its number by the time it started.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    state: char,
    started: String,
}

fn process(pid: i32) -> Option<Process> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        state: fields.first()?.chars().next()?,
        started: (*fields.get(19)?).to_owned(),
    })
}

/// The process and all that come from it.
fn family(root: i32) -> Vec<Process> {
    let entries = std::fs::read_dir("/proc")
        .expect("there is a process table")
        .flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all: Vec<Process> = pids.filter_map(process).collect();
    let mut family: Vec<Process> = all.iter().filter(|p| p.pid == root).cloned().collect();
    let mut next = 0;
    while let Some(Process { pid, .. }) = family.get(next).cloned() {
        family.extend(all.iter().filter(|p| p.parent == pid).cloned());
        next += 1;
    }
    family
}

fn is_running(old: &Process) -> bool {
    process(old.pid).is_some_and(|now| now.started == old.started && now.state != 'Z')
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + WITHIN;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {WITHIN:?}: {what}");
        std::thread::sleep(LOOK_EVERY);
    }
}

/// The program in the middle of a cell, with servers of its own, and a worker that is frozen.
fn in_the_middle_of_a_cell() -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_double-charge"))
        .args(["show", "window", "fence-opened"])
        .env_remove("REDIS_URL")
        .env_remove("DATABASE_URL")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let pid = child.id().cast_signed();
    until("a worker is frozen", || {
        let ended = child.try_wait().expect("it is our child");
        assert_eq!(ended, None, "it ended before a worker was frozen");
        family(pid)
            .iter()
            .any(|process| process.parent == pid && process.state == 'T')
    });
    child
}

#[track_caller]
fn leaves_nothing_behind_after(signal: Signal) {
    let mut child = in_the_middle_of_a_cell();
    let pid = child.id().cast_signed();
    let family = family(pid);
    // The program, a worker, Redis, Postgres and its helpers, the janitor.
    assert!(family.len() >= 5, "{family:?}");
    kill(Pid::from_raw(pid), signal).expect("the program runs");
    child.wait().expect("it is our child");
    until("everything has ended", || !family.iter().any(is_running));
}

#[test]
fn a_killed_run_leaves_no_frozen_worker_and_no_server() {
    leaves_nothing_behind_after(Signal::SIGKILL);
}

#[test]
fn an_interrupted_run_leaves_no_frozen_worker_and_no_server() {
    leaves_nothing_behind_after(Signal::SIGINT);
}

#[test]
fn a_terminated_run_leaves_no_frozen_worker_and_no_server() {
    leaves_nothing_behind_after(Signal::SIGTERM);
}

#[test]
fn an_interrupted_run_exits_with_130() {
    let mut child = in_the_middle_of_a_cell();
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("the program runs");
    let errors = BufReader::new(child.stderr.take().expect("it is piped"));
    let errors: Vec<String> = errors.lines().map_while(Result::ok).collect();
    assert_eq!(
        child.wait().expect("it is our child").code(),
        Some(130),
        "{errors:?}"
    );
}
