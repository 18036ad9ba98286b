//! The service of fence-guard's README is the program that is run here, and says what stands there.

use std::path::Path;
use std::process::Command;

use crate::page::Page;
use crate::programs::{said, shell};

/// The README's page.
const README: Page = Page(include_str!("../../crates/fence-guard/README.md"));

#[tokio::test]
async fn the_ten_minutes_of_the_readme_lead_to_a_guarded_table() {
    let database = testbed::database("ten_minutes").await;
    let service = Path::new(env!("CARGO_MANIFEST_DIR")).join("other_languages/reports");
    let program = README.block("rust,no_run", "fn main");
    assert_eq!(program, include_str!("reports/src/main.rs"));
    let migration = README.block("sql", "create table report (resource text primary key");
    assert_eq!(
        migration,
        include_str!("reports/migrations/0001_report.sql")
    );

    let mut reports = Command::new(env!("CARGO_BIN_EXE_reports"));
    reports.env("DATABASE_URL", database.url());
    let printed = said(reports.current_dir(service), &[], "");
    assert_eq!(printed, README.printed_by("rust,no_run", "fn main"));

    let script = README.block("sh", "psql");
    let printed = shell(&[("DATABASE_URL", database.url())], script);
    assert_eq!(printed, README.printed_by("sh", "psql"));
}
