//! The load of the README, for a few seconds, with the binary itself.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Long enough for one of each: an instance is frozen and wakes, is killed, is killed while frozen.
const SECONDS: &str = "6";

/// Where cargo has put the example: beside the folder of this test.
fn example() -> PathBuf {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let path = profile.join("examples").join("load");
    assert!(
        path.exists(),
        "load is not built: a test run of the whole package builds it, and so does \
         cargo build -p dataset-service --examples"
    );
    path
}

#[test]
fn under_load_while_instances_are_frozen_and_killed_there_are_as_many_captures_as_answers() {
    let output = Command::new(example())
        .args([
            "--seconds",
            SECONDS,
            "--program",
            env!("CARGO_BIN_EXE_dataset-service"),
        ])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{complaints}");
    let value = |row: &str| {
        let line = printed.lines().find_map(|line| line.strip_prefix(row));
        line.unwrap_or_else(|| panic!("no {row:?} in\n{printed}"))
            .trim()
            .to_owned()
    };
    assert_eq!(value("captures"), value("queries answered with 200"));
    assert_eq!(value("findings of the audit"), "0");
    assert_eq!(value("customers charged otherwise"), "0");
}
