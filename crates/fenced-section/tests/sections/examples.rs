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

#[test]
fn outlive_the_ttl_charges_after_it_and_ends_a_stuck_hold() {
    says(
        "outlive_the_ttl",
        &[
            "entered under fence 1, with a lease of 1000 ms",
            "the slow query took 2500 ms",
            "charged 3",
            "left: closed, released: in time",
            "entered under fence 2, for 3000 ms at most",
            "the stuck work was dropped, its lease is lost",
            "left, overrun: true",
            "sections  2 entered, 2 left, 1 overruns, 0 takeovers",
            "answers   0 refusals, 0 healed, 0 unknown, 0 unfenced",
            "hold/ttl  ≤10%: 0 ≤25%: 0 ≤50%: 0 ≤75%: 0 ≤90%: 0 ≤100%: 0 ≤200%: 0 above: 2",
        ],
    );
}

#[test]
fn wait_for_a_turn_gives_the_second_click_its_turn() {
    says(
        "wait_for_a_turn",
        &[
            "the first click entered under fence 1",
            "after 200 ms: held under fence 1, for seconds more: true",
            "the first click charged 3",
            "the second click entered under fence 2",
            "the second click finds 3 credits charged",
            "the first left: closed, released: in time",
            "the second left: closed, released: in time",
        ],
    );
}

#[test]
fn enter_all_enters_both_or_none() {
    says(
        "enter_all",
        &[
            "entered both, charged 6",
            "user:7:dataset:41: closed, released: in time",
            "user:7:dataset:42: closed, released: in time",
            "nothing is entered, because user:7:dataset:42 could not be; given back of the others: 1",
            "because user:7:dataset:42 is held under fence 2",
            "left: closed, released: in time",
            "two with crossing orders, both in time: true",
        ],
    );
}
