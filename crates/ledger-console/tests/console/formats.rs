//! Tables, JSON and CSV of names that were chosen to do harm.

use credit_ledger::{Charge, Purpose};
use promises::{charge, permit, resource};
use serde_json::Value;

use crate::support::Stage;

/// A name that turns around what follows it, one that hides, one that a spreadsheet runs, one that is as long as can be.
fn names() -> [String; 4] {
    [
        "user:\u{202e}7\u{200b}".to_owned(),
        "=HYPERLINK(\"http://x\",\"y\")".to_owned(),
        "-1+1;<script>'\"\\".to_owned(),
        "日".repeat(170),
    ]
}

async fn stage() -> Stage {
    let stage = Stage::new().await;
    for name in names() {
        let account = stage.world.account(&name, 10).await;
        let open = stage.client.open(&permit(&name, 1)).await;
        let charge = Charge {
            purpose: Purpose::new(name.clone()).unwrap(),
            ..charge(&account, 1)
        };
        stage.client.charge(&open, &charge).await;
        stage.come_late_with(&name, charge).await;
    }
    stage
}

impl Stage {
    /// Is refused a charge under a fence that nobody has opened.
    async fn come_late_with(&self, name: &str, charge: Charge) {
        let charge = Charge {
            request: credit_ledger::RequestId::random(),
            ..charge
        };
        let mut session = self.world.session().await;
        session.charge(&permit(name, 9), &charge).await.unwrap();
    }
}

const LISTS: [&[&str]; 4] = [
    &["refusals"],
    &["entries"],
    &["openings"],
    &["stats", "--by", "16"],
];

#[tokio::test]
async fn a_table_fits_into_80_columns_and_shows_what_a_terminal_would_obey_or_hide() {
    let stage = stage().await;
    for list in LISTS {
        let answer = stage.ask(list).await;
        assert_eq!(answer.code, Some(0), "{answer:?}");
        for line in answer.stdout.lines() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            assert!(columns <= 80, "{columns}: {line}");
            assert!(
                !line
                    .chars()
                    .any(|c| c.is_control() || "\u{202e}\u{200b}".contains(c)),
                "{line:?}"
            );
        }
        assert!(
            answer.stdout.contains(r"user:\u{202e}7\u{200b}"),
            "{}",
            answer.stdout
        );
        assert!(answer.stdout.contains('…'), "{}", answer.stdout);
    }
    let answer = stage.ask(&["resource", &names()[0]]).await;
    assert!(
        answer.stdout.starts_with(r"resource    user:\u{202e}7"),
        "{}",
        answer.stdout
    );
    let answer = stage.ask(&["account", &names()[3]]).await;
    assert_eq!(answer.code, Some(0), "{answer:?}");
}

#[tokio::test]
async fn json_has_every_name_whole_in_one_object_a_line_and_no_terminal_obeys_it() {
    let stage = stage().await;
    for (list, name_of) in [
        ("refusals", "resource"),
        ("entries", "account"),
        ("openings", "resource"),
    ] {
        let answer = stage.ask(&[list, "--format", "json"]).await;
        assert!(!answer.stdout.contains(['\u{202e}', '\u{200b}']));
        let rows = answer
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let found: Vec<Value> = rows.map(|mut row| row[name_of].take()).collect();
        for name in names() {
            assert!(found.contains(&Value::from(name.clone())), "{list}: {name}");
        }
    }
}

#[tokio::test]
async fn csv_has_every_name_whole_and_none_that_a_spreadsheet_runs() {
    let stage = stage().await;
    let answer = stage.ask(&["entries", "--format", "csv"]).await;
    let mut reader = csv::Reader::from_reader(answer.stdout.as_bytes());
    let head = reader.headers().unwrap().clone();
    let column = |name| head.iter().position(|head| head == name).unwrap();
    let (account, purpose, change) = (column("account"), column("purpose"), column("change"));
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for name in names() {
        let is_formula = name.starts_with(['=', '-']);
        let written = if is_formula { format!("'{name}") } else { name };
        let of_it = records.iter().filter(|record| record[account] == *written);
        let charge = of_it.clone().find(|record| &record[change] == "-1");
        let charge = charge.unwrap_or_else(|| panic!("no charge of {written}"));
        assert_eq!((of_it.count(), &charge[purpose]), (2, written.as_str()));
    }
}

#[tokio::test]
async fn a_name_that_looks_like_an_option_is_asked_for_like_any_other() {
    let stage = stage().await;
    let name = &names()[2];
    assert!(resource(name).as_str().starts_with('-'));
    let option = format!("--resource={name}");
    assert_eq!(stage.rows(&["refusals", &option]).await.len(), 1);
    let answer = stage.ask(&["resource", "--", name]).await;
    assert_eq!(answer.code, Some(0), "{answer:?}");
}
