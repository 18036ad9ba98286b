//! The verbs as processes, with a script in the place of Cargo.

mod support;

use std::process::Stdio;

use support::xtask;

#[test]
fn demo_becomes_the_program_and_leaves_the_standard_output_to_it() {
    let mut demo = xtask("tells-its-number");
    let demo = demo.args(["demo", "--json", "late-wake"]);
    let child = demo.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap();
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let arguments = "run --quiet --package double-charge -- --json late-wake";
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(stdout, format!("{pid} {arguments}\n"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("redis from REDIS_URL"), "{stderr}");
    assert!(!stderr.contains("secret"), "{stderr}");
}

#[test]
fn a_demo_without_servers_exits_with_2_and_says_what_was_looked_for() {
    let mut demo = xtask("fails");
    let demo = demo
        .env_remove("REDIS_URL")
        .env("REDIS_SERVER", "/nowhere/redis-server");
    let output = demo.arg("demo").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("/nowhere/redis-server"), "{stderr}");
}

#[test]
fn a_step_that_fails_is_named_and_ends_the_run() {
    let mut test = xtask("fails");
    let output = test.args(["test", "some_filter"]).output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("servers failed (exit status: 7)"),
        "{stderr}"
    );
    assert!(!stderr.contains("── tests"), "{stderr}");
}

#[test]
fn a_python_that_was_chosen_and_has_no_psycopg_ends_the_run_before_anything_is_installed() {
    let lacks = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/python/lacks-pip/python3"
    );
    let mut test = xtask("passes");
    let output = test.env("PYTHON", lacks).arg("test").output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("which cannot import psycopg: correct or unset it"),
        "{stderr}"
    );
    for not_reached in ["install   ", "── "] {
        assert!(!stderr.contains(not_reached), "{stderr}");
    }
}

#[test]
fn a_missing_component_is_named_with_the_line_that_adds_it() {
    let mut test = xtask("lacks-clippy");
    let output = test.arg("test").output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("rustup component add clippy"), "{stderr}");
}

#[test]
fn filters_reach_the_tests_and_leave_the_other_checks_out() {
    let mut test = xtask("tells-its-arguments");
    let output = test.args(["test", "one", "two"]).output().unwrap();
    assert!(output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("--all-features --no-fail-fast -- one two"),
        "{stderr}"
    );
    for left_out in ["fmt", "clippy", "doc", "double-charge"] {
        assert!(!stderr.contains(&format!("\n{left_out} ")), "{stderr}");
    }
}
