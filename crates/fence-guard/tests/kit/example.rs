//! The example is run, and says what the README shows.

use std::env;
use std::process::Command;

const README: &str = include_str!("../../README.md");

#[test]
fn the_inventory_passes_the_kit_and_the_readme_shows_its_table() {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let example = profile.join("examples").join("inventory");
    assert!(
        example.exists(),
        "it is not built: a test run of the whole package builds it, and so does \
         cargo build -p fence-guard --example inventory"
    );
    let output = Command::new(example).output().unwrap();
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failed}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, shown(), "{failed}");
}

/// What the README shows below the command.
fn shown() -> &'static str {
    let (_, after) = README
        .split_once("--example inventory`")
        .expect("the README names the example");
    let (_, block) = after
        .split_once("```text\n")
        .expect("and shows what it prints");
    block.split_once("```").expect("to its end").0
}
