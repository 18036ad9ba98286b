//! The suites of one server: built once, run with its programs chosen, counted.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use super::folder::Folder;
use super::outcome::Outcome;
use super::server::{Family, Server};
use crate::step::{cargo, last_words, line, logged};

/// What `cargo test` printed, counted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u32,
    failed: Vec<String>,
    /// What tests have left out because the server does not have it.
    left_out: BTreeSet<String>,
}

/// Runs the suites against the programs of `server`.
pub(crate) fn run(
    server: &Server,
    programs: Option<&Path>,
    folder: &Folder,
) -> io::Result<Outcome> {
    let mut command = suites(server.family);
    // What a test leaves out it says where nobody looks, unless the test fails.
    command.args(["--no-fail-fast", "--", "--show-output"]);
    choose(server.family, programs, &mut command);
    let log = folder.log(server.name);
    let status = logged(server.name, &line(&command), &command, &log)?;
    let output = fs::read(&log)?;
    let tally = Tally::count(&String::from_utf8_lossy(&output));
    Ok(tally.judge(status, &log))
}

/// The command that builds the suites of a family.
pub(crate) fn build(family: Family) -> Command {
    let mut command = suites(family);
    command.args(["--quiet", "--no-run"]);
    command
}

/// Makes what `command` starts start these programs, and no URL go before them. Without programs
/// the choice is `testbed`'s.
pub(crate) fn choose(family: Family, programs: Option<&Path>, command: &mut Command) {
    command.env_remove(family.url_variable());
    if let Some(programs) = programs {
        command.env(family.variable(), programs);
    }
}

fn suites(family: Family) -> Command {
    let mut command = cargo(&["test", "--all-features"]);
    for package in family.suites() {
        command.args(["--package", package]);
    }
    command
}

impl Tally {
    /// Counts what the test programs of all packages printed. Each closes with its own sum, and
    /// names each test that failed on a line of its own.
    fn count(output: &str) -> Tally {
        let mut tally = Tally::default();
        for line in output.lines() {
            if let Some(sum) = line.strip_prefix("test result: ") {
                tally.passed += passed(sum);
            } else if let Some(name) = failed(line) {
                tally.failed.push(name.to_owned());
            } else if let Some(what) = line.strip_prefix("NOT TESTED: ") {
                tally.left_out.insert(what.to_owned());
            }
        }
        tally
    }

    fn judge(self, status: ExitStatus, log: &Path) -> Outcome {
        let failed = self.failed.len();
        let why = if failed > 0 {
            let names = self.failed.join(", ");
            let all = failed + self.passed as usize;
            format!("{failed} of {all} tests: {names}")
        } else if !status.success() {
            // It did not compile, or a test program was killed before it could say what failed.
            format!("cargo test ended with {status}: {}", last_words(log))
        } else if self.passed == 0 {
            "no test ran".to_owned()
        } else {
            return Outcome::Passed {
                tests: self.passed,
                left_out: self.left_out.into_iter().collect(),
            };
        };
        Outcome::Failed { why }
    }
}

/// The number of `ok. 83 passed; 0 failed; …`.
fn passed(sum: &str) -> u32 {
    let words: Vec<&str> = sum.split([' ', ';']).collect();
    let number = words.windows(2).find(|pair| pair[1] == "passed");
    number.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

/// The name in `test c9_… ... FAILED`.
fn failed(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    const SUCCESS: i32 = 0;
    /// What `wait` reports of a process that exited with 101.
    const FAILURE: i32 = 101 << 8;

    fn judged(output: &str, status: i32) -> Outcome {
        let log = Path::new("/nowhere/suite.log");
        Tally::count(output).judge(ExitStatus::from_raw(status), log)
    }

    #[test]
    fn the_tests_of_all_programs_are_counted_together() {
        let output = "test result: ok. 83 passed; 0 failed; 0 ignored; 0 measured; finished in 1s\n\
                      test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; finished in 1s\n";
        let left_out = Vec::new();
        assert_eq!(
            judged(output, SUCCESS),
            Outcome::Passed {
                tests: 87,
                left_out
            }
        );
    }

    #[test]
    fn what_tests_have_left_out_is_told_once() {
        let output = "---- tls::one stdout ----\nNOT TESTED: no TLS\n\n\
                      ---- tls::two stdout ----\nNOT TESTED: no TLS\n\n\
                      test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";
        let left_out = vec!["no TLS".to_owned()];
        assert_eq!(
            judged(output, SUCCESS),
            Outcome::Passed { tests: 2, left_out }
        );
    }

    #[test]
    fn each_test_that_failed_is_named_once() {
        let output = "test keeper::c5_one ... FAILED\n\
                      test keeper::c6_two ... ok\n\
                      failures:\n    keeper::c5_one\n\
                      test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n";
        let why = "1 of 2 tests: keeper::c5_one".to_owned();
        assert_eq!(judged(output, FAILURE), Outcome::Failed { why });
    }

    #[test]
    fn a_run_that_ends_badly_has_failed_although_no_test_did() {
        let output = "test result: ok. 83 passed; 0 failed; 0 ignored; 0 measured\n";
        let Outcome::Failed { why } = judged(output, FAILURE) else {
            panic!("it passed");
        };
        assert!(why.contains("exit status: 101"), "{why}");
    }

    #[test]
    fn a_run_without_tests_has_not_passed() {
        let output = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n";
        let why = "no test ran".to_owned();
        assert_eq!(judged(output, SUCCESS), Outcome::Failed { why });
    }

    #[test]
    fn a_chosen_server_goes_before_a_url() {
        let mut command = Command::new("cargo");
        choose(
            Family::Redis,
            Some(Path::new("/x/redis-server")),
            &mut command,
        );
        let set: Vec<_> = command.get_envs().collect();
        let program = Some("/x/redis-server".as_ref());
        assert!(set.contains(&("REDIS_SERVER".as_ref(), program)), "{set:?}");
        assert!(set.contains(&("REDIS_URL".as_ref(), None)), "{set:?}");
    }
}
