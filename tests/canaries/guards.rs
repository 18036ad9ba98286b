//! The guards: the right ones, and whatever is in `wrong/`.

use std::fs;
use std::path::Path;

use promises::World;
use sqlx::AssertSqlSafe;

const COMMON: &str = include_str!("common.sql");
const CONTROL: &str = include_str!("control.sql");
const REAL: &str = include_str!("real_guard.sql");

/// What each file in `wrong/` begins with, before the rule.
const LABEL: &str = "-- WRONG ON PURPOSE: breaks ";

/// A guard behind the common interface.
pub(crate) struct Guard {
    /// Its name, and that of its schema.
    pub(crate) name: String,
    /// The rule that it says it breaks; none for a right one.
    pub(crate) breaks: Option<String>,
    sql: String,
}

impl Guard {
    /// Builds it in a schema of its own.
    pub(crate) async fn build(&self, world: &World) {
        let (name, sql) = (&self.name, &self.sql);
        let statements = format!("create schema {name}; set search_path = {name};\n{sql}");
        world.session().await.run(AssertSqlSafe(statements)).await;
    }
}

/// The guard of this workspace, and the small one that the wrong ones are variants of.
pub(crate) fn right_guards() -> Vec<Guard> {
    let right = |name: &str, sql: &str| Guard {
        name: name.to_owned(),
        breaks: None,
        sql: format!("{COMMON}\n{sql}"),
    };
    vec![right("real_guard", REAL), right("control", CONTROL)]
}

/// One for each file in `wrong/`.
pub(crate) fn wrong_guards() -> Vec<Guard> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("canaries/wrong");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut guards: Vec<Guard> = files.map(|path| wrong_guard(&path)).collect();
    guards.sort_by(|a, b| (&a.breaks, &a.name).cmp(&(&b.breaks, &b.name)));
    guards
}

fn wrong_guard(path: &Path) -> Guard {
    let sql = fs::read_to_string(path).unwrap();
    let first = sql.lines().next().and_then(|line| line.strip_prefix(LABEL));
    let rule = first.and_then(|rest| rest.strip_suffix('.'));
    Guard {
        name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        breaks: Some(rule.expect("its first line says what it breaks").to_owned()),
        sql: format!("{COMMON}\n{CONTROL}\n{sql}"),
    }
}
