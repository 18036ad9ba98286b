//! After a story, the console shows its rows: it finds the kept data by itself, as a plain `ledger refusals` does.

use std::process::Command;
use std::time::{Duration, Instant};

use clap::Parser;
use ledger_console::cli::Cli;
use ledger_console::{Ended, Error};
use serde_json::Value;

/// How long other programs may go on using the kept data.
const WITHIN: Duration = Duration::from_secs(120);
/// How often it is tried again: the lock of a folder tells nobody when it is free.
const LOOK_EVERY: Duration = Duration::from_millis(100);

#[tokio::test]
async fn the_console_shows_the_refused_writes_of_the_last_story() {
    let deadline = Instant::now() + WITHIN;
    loop {
        assert!(Instant::now() < deadline, "the kept data is in use");
        let mut play = Command::new(env!("CARGO_BIN_EXE_double-charge"));
        let played = play.args(["show", "late-wake", "fence-opened"]).output();
        let played = played.expect("the program starts");
        let (story, notices) = [played.stdout, played.stderr]
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .into();
        assert!(played.status.success(), "{notices}");
        let resource = story
            .lines()
            .find_map(|line| line.strip_prefix("resource  "))
            .expect("it is named");
        let rows = if notices.contains("another run uses") {
            None
        } else {
            refusals_of(resource).await
        };
        let Some(rows) = rows else {
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        };
        let [row] = &rows[..] else {
            panic!("one refused write: {rows:?}")
        };
        assert_eq!(
            (&row["reason"], &row["observed_fence"]),
            (&"stale".into(), &"2".into())
        );
        return;
    }
}

/// What `ledger refusals` prints of it; `None` while another program uses the kept data.
async fn refusals_of(resource: &str) -> Option<Vec<Value>> {
    let option = format!("--resource={resource}");
    let cli = Cli::parse_from(["ledger", "refusals", "--format", "json", &option]);
    let mut printed = Vec::new();
    match ledger_console::run(cli, &mut printed).await {
        Ok(ended) => assert_eq!(ended, Ended::Fine),
        Err(Error::KeptInUse) => return None,
        Err(error) => panic!("{error}"),
    }
    let printed = String::from_utf8(printed).expect("it prints UTF-8");
    let rows = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"));
    Some(rows.collect())
}
