//! The example is run, and says what the README shows.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const README: &str = include_str!("../../README.md");

/// Where cargo has put the examples: beside the folder of this test.
fn example(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let path = profile.join("examples").join(name);
    assert!(
        path.exists(),
        "{name} is not built: a test run of the whole package builds it, and so does \
         cargo build -p fence-guard --examples"
    );
    path
}

/// What the README shows below the command that runs an example.
fn shown(name: &str) -> &'static str {
    let (_, after) = README
        .split_once(&format!("--example {name}`"))
        .expect("the README names the example");
    let (_, block) = after
        .split_once("```text\n")
        .expect("and shows what it prints");
    block.split_once("```").expect("to its end").0
}

#[test]
fn a_permit_crosses_to_another_service_and_a_late_one_is_answered_with_409() {
    let output = Command::new(example("axum_permit")).output().unwrap();
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failed}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, shown("axum_permit"), "{failed}");
}
