//! The program as a user sees it: its output against committed transcripts, its exit status, its JSON.
//!
//! `BLESS=1 cargo test -p double-charge` writes the transcripts anew; read the difference before you
//! commit it.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

#[path = "transcripts/report.rs"]
mod report;

fn double_charge(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_double-charge"));
    command
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn stdout_of(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}", output.status);
    String::from_utf8(output.stdout.clone()).expect("the program prints UTF-8")
}

#[track_caller]
fn is_the_transcript(text: &str, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("the transcript can be written");
    }
    let transcript = std::fs::read_to_string(&path).expect("the transcript is committed");
    assert_eq!(text, transcript, "{name} differs; BLESS=1 writes it anew");
}

/// Puts letters where every run has other numbers: times, processes, ids. Columns stay where they are.
fn without_numbers_of_the_run(text: &str) -> String {
    // The first two are columns: what they become is as wide as what it was.
    let columns = [(r"(?m)^ \d[\d ]{7}", " t"), (r"\(pid \d+\)", "(pid N)")];
    let words = [
        (r"run:[0-9a-f]{8}:", "run:RUN:"),
        (r"entry \d+", "entry N"),
        (r"\b[0-9a-f]{8}\b", "HOLDER"),
    ];
    let rule = |pattern| Regex::new(pattern).expect("the rule is a pattern");
    let text = columns
        .into_iter()
        .fold(text.to_owned(), |text, (pattern, with)| {
            let padded = |found: &Captures<'_>| format!("{with:<0$}", found[0].len());
            rule(pattern).replace_all(&text, padded).into_owned()
        });
    let text = words.into_iter().fold(text, |text, (pattern, with)| {
        rule(pattern).replace_all(&text, with).into_owned()
    });
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[test]
fn the_staircase_is_the_transcript_and_stands_in_the_readme() {
    let text = stdout_of(&double_charge(&[]));
    is_the_transcript(&text, "staircase.txt");
    let readme = include_str!("../../../README.md");
    assert!(
        readme.contains(text.trim_end()),
        "the README shows another staircase"
    );
}

#[test]
fn the_window_under_a_write_only_fence_charges_twice_step_by_step() {
    let text = stdout_of(&double_charge(&["show", "window", "fence-on-write"]));
    is_the_transcript(
        &without_numbers_of_the_run(&text),
        "window-fence-on-write.txt",
    );
}

#[test]
fn the_window_under_an_opened_fence_refuses_the_late_holder_step_by_step() {
    let text = stdout_of(&double_charge(&["show", "window", "fence-opened"]));
    is_the_transcript(
        &without_numbers_of_the_run(&text),
        "window-fence-opened.txt",
    );
}

#[test]
fn a_plain_del_frees_the_successors_lock_and_a_third_gets_in() {
    let text = stdout_of(&double_charge(&["show", "foreign-release", "shared-value"]));
    is_the_transcript(
        &without_numbers_of_the_run(&text),
        "foreign-release-shared-value.txt",
    );
}

#[test]
fn a_compare_and_delete_leaves_the_successors_lock_and_keeps_a_third_out() {
    let text = stdout_of(&double_charge(&["show", "foreign-release", "owner-token"]));
    is_the_transcript(
        &without_numbers_of_the_run(&text),
        "foreign-release-owner-token.txt",
    );
}

/// One run of the whole table, as its JSON and as its report.
fn whole_table() -> &'static (Value, String) {
    static RUN: LazyLock<(Value, String)> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("there is a place for the report");
        let path = folder.path().join("report.html");
        let path = path.to_str().expect("the place has a name");
        let text = stdout_of(&double_charge(&["--json", "--html", path]));
        let document = serde_json::from_str(&text).expect("standard output is one JSON document");
        let report = std::fs::read_to_string(path).expect("the report is written");
        (document, report)
    });
    &RUN
}

#[test]
fn the_json_document_has_every_cell_with_the_documented_fields() {
    let (document, _) = whole_table();
    assert_eq!(document["as_documented"], true);
    let cells = document["cells"].as_array().expect("cells is a list");
    assert_eq!(cells.len(), 20);
    for cell in cells {
        let charged = cell["charged"].as_u64().expect("charged is a number");
        assert_eq!(cell["due"], 1);
        assert_eq!(
            cell["verdict"],
            if charged == 1 {
                "charged-once"
            } else {
                "overcharged"
            }
        );
        for field in ["refused", "replayed", "holders_at_once"] {
            assert!(cell[field].is_u64(), "{field} in {cell}");
        }
        // In every incident A still believes that it holds while B does.
        assert!(cell["holders_at_once"].as_u64() >= Some(2), "{cell}");
        let events = cell["events"].as_array().expect("events is a list");
        let kinds: Vec<&str> = events
            .iter()
            .filter_map(|event| event["kind"].as_str())
            .collect();
        for kind in [
            "acquired", "read", "frozen", "expired", "woken", "charged", "released",
        ] {
            assert!(kinds.contains(&kind), "no {kind} in {kinds:?}");
        }
    }
}

#[test]
fn one_cell_as_json_is_a_document_of_one_cell() {
    let text = stdout_of(&double_charge(&[
        "--json",
        "show",
        "late-wake",
        "request-id",
    ]));
    let document: Value =
        serde_json::from_str(&text).expect("standard output is one JSON document");
    assert_eq!(document["cells"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["cells"][0]["charged"], 2);
}

#[test]
fn the_refused_writes_of_a_run_are_rows_that_the_next_run_lists() {
    let text = stdout_of(&double_charge(&["show", "late-wake", "fence-opened"]));
    let resource = text
        .lines()
        .find_map(|line| line.strip_prefix("resource  "))
        .expect("it is named");
    let listed = double_charge(&["refusals", "--json"]);
    if listed.status.code() == Some(2) {
        // Another test has the kept data, and this one's servers are gone with their data.
        let errors = String::from_utf8_lossy(&listed.stderr).into_owned();
        assert!(
            errors.contains("another run of double-charge has the kept data"),
            "{errors}"
        );
        return;
    }
    let rows: Value = serde_json::from_str(&stdout_of(&listed)).expect("it is one JSON document");
    let rows = rows.as_array().expect("it is a list");
    let row = rows.iter().find(|row| row["resource"] == resource);
    let row = row.unwrap_or_else(|| panic!("no row of {resource} in {rows:?}"));
    assert_eq!(
        (&row["reason"], &row["presented_fence"]),
        (&"stale".into(), &1.into())
    );
    assert_eq!(
        (&row["observed_fence"], &row["amount"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn bad_usage_exits_with_2() {
    for arguments in [
        &["nonsense"][..],
        &["show", "window"],
        &["show", "window", "hope"],
    ] {
        let output = double_charge(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn without_servers_it_exits_with_2_and_never_shows_a_password() {
    let output = Command::new(env!("CARGO_BIN_EXE_double-charge"))
        .env("REDIS_URL", "redis://user:s3cret@127.0.0.1:1/")
        .env("DATABASE_URL", "postgres://user:s3cret@127.0.0.1:1/none")
        .output()
        .expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("double-charge: ") && !errors.contains("s3cret"),
        "{errors}"
    );
}

#[test]
fn a_pipe_gets_no_colour() {
    let text = stdout_of(&double_charge(&["show", "late-wake", "fence-opened"]));
    assert!(!text.contains('\u{1b}'), "{text:?}");
}
