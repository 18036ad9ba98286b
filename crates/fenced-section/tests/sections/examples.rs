//! Each example is run, and says what its comments promise.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Cargo builds the examples of a package together with its tests, beside them.
fn example(name: &str) -> PathBuf {
    let tests = env::current_exe().unwrap();
    let built = tests.parent().and_then(|deps| deps.parent()).unwrap();
    let path = built.join("examples").join(name);
    assert!(
        path.exists(),
        "{name} is not built, run: cargo build -p fenced-section --examples"
    );
    path
}

fn says(name: &str, expected: &[&str]) {
    let output = Command::new(example(name)).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {text}{complaints}");
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{name}");
}

#[test]
fn enter_and_leave_charges_once_and_leaves_in_time() {
    says(
        "enter_and_leave",
        &[
            "entered under fence 1",
            "charged 3, balance 97",
            "the second click finds it paid for",
            "closed, released: in time",
            "sections  2 entered, 2 left, 0 overruns, 0 takeovers",
        ],
    );
}

#[test]
fn lose_the_lease_drops_the_work_and_refuses_the_late_charge() {
    says(
        "lose_the_lease",
        &[
            "A entered under fence 1",
            "A's work was dropped, its lease is lost",
            "B entered under fence 2, over an opening that was not closed",
            "A's late charge: stale: fence 1 of user:7:dataset:42 was overtaken by 2; give this work up",
            "A left: overtaken by fence 2, the lease was taken under 2: overrun",
            "B left: closed, released: in time",
            "balance 97",
        ],
    );
}

#[test]
fn redis_down_shows_the_three_ways() {
    says(
        "redis_down",
        &[
            "enter: nothing was entered, because Redis failed: try again, or choose enter_from_guard or run_unfenced",
            "run_unfenced: the answer, not charged for",
            "enter_from_guard: entered under fence 1, charged 3",
            "another one meanwhile: busy",
            "Redis is back, a new lease meanwhile: busy",
            "left: closed, without a lease: in time",
            "enter: entered under fence 3",
        ],
    );
}

#[test]
fn resolve_finds_out_for_good() {
    says(
        "resolve",
        &[
            "the attempt under fence 1 is unknown",
            "resolved under fence 2: charged 0",
            "the attempt comes late: stale: fence 1 of user:7:dataset:42 was overtaken by 2; give this work up",
            "done again: charged 3",
            "resolved under fence 3: charged 3",
        ],
    );
}
