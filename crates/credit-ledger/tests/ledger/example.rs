//! The example is run, and says what the README shows.

use std::env;
use std::process::Command;

const README: &str = include_str!("../../README.md");

#[test]
fn hold_run_the_slow_query_capture_charges_once_as_the_readme_shows() {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let path = profile.join("examples/hold_and_capture");
    assert!(
        path.exists(),
        "it is not built: a test run of the whole package builds it, and so does \
         cargo build -p credit-ledger --examples"
    );
    let output = Command::new(path).output().unwrap();
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failed}");
    let (_, shown) = README
        .split_once("--example hold_and_capture`")
        .and_then(|(_, after)| after.split_once("```text\n"))
        .expect("the README shows what it prints");
    let (shown, _) = shown.split_once("```").expect("to its end");
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown);
}
