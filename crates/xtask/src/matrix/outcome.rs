//! What came of each server, and the table of it.

use std::iter;

use super::ask::Answers;
use super::server::Server;
use crate::error::Error;

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) server: &'static Server,
    /// `None` where the server could not be asked.
    pub(crate) answers: Option<Answers>,
    pub(crate) outcome: Outcome,
    /// From the search for its programs to the end of its suites.
    pub(crate) seconds: f64,
}

/// How the suites of a server came out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed {
        tests: u32,
        /// What they have left out because the server does not have it.
        left_out: Vec<String>,
    },
    Failed {
        why: String,
    },
    /// The server is not to be had on this machine.
    NotTested {
        why: String,
    },
}

const HEAD: [&str; 6] = ["server", "reports", "DELEX", "DELIFEQ", "suites", "seconds"];

/// The table, then a line for each server that failed and for each that was not tested.
pub(crate) fn table(rows: &[Row]) -> String {
    let cells = rows.iter().map(Row::cells);
    let mut text = aligned(iter::once(HEAD.map(str::to_owned)).chain(cells));
    for row in rows {
        for line in row.outcome.complaints(row.server) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

/// Fails when a server has failed, and with `strict` also when one could not be had.
pub(crate) fn verdict(rows: &[Row], strict: bool) -> Result<(), Error> {
    let names = |chosen: fn(&Outcome) -> bool| {
        let rows = rows.iter().filter(|row| chosen(&row.outcome));
        let names: Vec<&str> = rows.map(|row| row.server.name).collect();
        names.join(", ")
    };
    let failed = names(|outcome| matches!(outcome, Outcome::Failed { .. }));
    let not_tested = names(|outcome| matches!(outcome, Outcome::NotTested { .. }));
    if !failed.is_empty() {
        return Err(Error::Matrix { failed });
    }
    if strict && !not_tested.is_empty() {
        return Err(Error::NotTested { not_tested });
    }
    Ok(())
}

/// Lines whose columns are as wide as their widest cell; none ends with spaces.
pub(crate) fn aligned<const N: usize>(rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = rows.collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

impl Outcome {
    /// What is wrong, and what was not tested, one a line.
    pub(crate) fn complaints(&self, server: &Server) -> Vec<String> {
        let name = server.name;
        let not_tested = |why: &String| format!("NOT TESTED: {name}: {why}");
        match self {
            Outcome::Passed { left_out, .. } => left_out.iter().map(not_tested).collect(),
            Outcome::Failed { why } => vec![format!("FAILED: {name}: {why}")],
            Outcome::NotTested { why } => vec![not_tested(why)],
        }
    }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        let answers = self.answers.as_ref();
        let has = |command| {
            answers
                .map_or("-", |answers| answers.has(command))
                .to_owned()
        };
        let suites = match &self.outcome {
            Outcome::Passed { tests, .. } => format!("passed {tests}"),
            Outcome::Failed { .. } => "FAILED".to_owned(),
            Outcome::NotTested { .. } => "NOT TESTED".to_owned(),
        };
        [
            self.server.name.to_owned(),
            answers.map_or("-", |answers| &answers.version).to_owned(),
            has("DELEX"),
            has("DELIFEQ"),
            suites,
            format!("{:.0}", self.seconds),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, answers: Option<Answers>, outcome: Outcome) -> Row {
        let server = Server::chosen(&[name.to_owned()])[0];
        Row {
            server,
            answers,
            outcome,
            seconds: 41.6,
        }
    }

    fn rows() -> [Row; 3] {
        let valkey = Answers {
            version: "Valkey 9.1.2".to_owned(),
            commands: Some(vec!["DELIFEQ".to_owned()]),
        };
        let postgres = Answers {
            version: "PostgreSQL 16.15".to_owned(),
            commands: None,
        };
        let passed = Outcome::Passed {
            tests: 131,
            left_out: vec!["this server has no TLS".to_owned()],
        };
        let failed = Outcome::Failed {
            why: "1 of 2 tests: drain".to_owned(),
        };
        let missing = Outcome::NotTested {
            why: "no such package (exit status: 1)".to_owned(),
        };
        [
            row("valkey-9", Some(valkey), passed),
            row("postgres-16", Some(postgres), failed),
            row("redis-8.2", None, missing),
        ]
    }

    #[test]
    fn the_table_has_one_line_per_server_and_says_below_it_what_is_wrong() {
        let expected = "\
server       reports           DELEX  DELIFEQ  suites      seconds
valkey-9     Valkey 9.1.2      no     yes      passed 131  42
postgres-16  PostgreSQL 16.15  -      -        FAILED      42
redis-8.2    -                 -      -        NOT TESTED  42
NOT TESTED: valkey-9: this server has no TLS
FAILED: postgres-16: 1 of 2 tests: drain
NOT TESTED: redis-8.2: no such package (exit status: 1)
";
        assert_eq!(table(&rows()), expected);
    }

    #[test]
    fn a_failed_server_fails_the_run_and_is_named() {
        let error = verdict(&rows(), false).unwrap_err().to_string();
        assert!(error.contains("postgres-16"), "{error}");
        assert!(!error.contains("valkey-9"), "{error}");
    }

    #[test]
    fn a_server_that_is_not_to_be_had_fails_only_a_strict_run() {
        let [passed, _, missing] = rows();
        let rows = [passed, missing];
        assert!(verdict(&rows, false).is_ok());
        let error = verdict(&rows, true).unwrap_err().to_string();
        assert!(error.contains("redis-8.2"), "{error}");
    }
}
