//! The examples are run, and what they print is compared.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Where cargo has put the examples: beside the folder of this test.
fn example(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let path = profile.join("examples").join(name);
    assert!(
        path.exists(),
        "{name} is not built: a test run of the whole package builds it, and so does \
         cargo build -p lease-lock --examples"
    );
    path
}

#[track_caller]
fn prints(name: &str, expected: &[&str]) {
    let output = Command::new(example(name)).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let failed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{name}: {printed}{failed}");
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{failed}");
}

#[test]
fn a_lease_is_held_for_longer_than_its_ttl_by_hand_and_by_the_keeper() {
    prints(
        "hold_and_renew",
        &[
            "acquired; a permit is given: true",
            "step 1: renewed by hand",
            "step 2: renewed by hand",
            "step 3: renewed by hand",
            "the work is done",
            "still trusted: true",
            "released: Released",
        ],
    );
}

#[test]
fn whoever_waits_is_served_and_whoever_does_not_is_told_for_how_long() {
    prints(
        "wait",
        &[
            "the first one has it",
            "the impatient one was told that it is held; for seconds more: true",
            "the first one gives it back: Released",
            "the patient one has it, under a higher fence: true",
            "and gives it back: Released",
        ],
    );
}

#[test]
fn a_lost_lease_gives_no_permit_and_its_release_frees_nobody_elses() {
    prints(
        "lose",
        &[
            "the work outlived its lease, and stops",
            "a permit now: refused",
            "a successor has a higher fence: true",
            "the late release was told who has taken over, and freed nothing",
            "the successor gives it back: Released",
        ],
    );
}
