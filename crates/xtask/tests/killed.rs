//! What the checks have started ends with them. Read from `/proc`, so it is Linux' own.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::xtask;

/// Killed children have this long to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(20);

#[test]
fn what_a_step_started_ends_when_the_run_is_killed() {
    let mut test = xtask("has-a-family");
    let test = test.args(["test", "some_filter"]).stdout(Stdio::piped());
    let mut running = test.stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(running.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let pids: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(pids.len(), 2, "{line}");
    assert!(pids.iter().all(|pid| is_running(pid)));
    running.kill().unwrap();
    running.wait().unwrap();
    let deadline = Instant::now() + GONE_WITHIN;
    while pids.iter().any(|pid| is_running(pid)) {
        assert!(Instant::now() < deadline, "{pids:?} outlived the run");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the process is there and has not ended.
fn is_running(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        stat.rsplit_once(')')
            .is_some_and(|(_, rest)| !rest.starts_with(" Z"))
    })
}
