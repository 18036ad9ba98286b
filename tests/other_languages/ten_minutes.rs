//! The ten minutes of fence-guard's README, from an empty folder to a guarded table, in one shell.
//!
//! The README's blocks are run as they stand there. What a user has before them, the test gives by the environment:
//!
//! - `$REPO`, as the README says;
//! - a Postgres of this user's own: `PGHOST`, `PGPORT` and `PGUSER` lead `createdb` to it, and `PGPORT` also completes
//!   the block's `DATABASE_URL`, which names no port, for psql and for sqlx;
//! - a registry: the one in cargo's cache, without network, so that a release of tomorrow fails nothing here;
//! - what is built already: this workspace's `target/`, with its choice of debug information, where most of the
//!   dependencies lie.

use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use testbed::{Options, PostgresServer};

use crate::page::GUARD;
use crate::programs::shell;

#[test]
fn the_ten_minutes_of_the_readme_lead_from_an_empty_folder_to_a_guarded_table() {
    let server = PostgresServer::start(&Options::throw_away()).unwrap();
    let (_, port) = server.url().rsplit_once(':').unwrap();
    let (port, _) = port.split_once('/').unwrap();
    let folder = EmptyFolder::new();
    let variables = [
        ("EMPTY", text(&folder.path)),
        ("REPO", text(&folder.repository)),
        ("PGHOST", "localhost"),
        ("PGPORT", port),
        ("PGUSER", "postgres"),
        ("CARGO_NET_OFFLINE", "true"),
        ("CARGO_TARGET_DIR", text(&folder.target)),
        ("CARGO_PROFILE_DEV_DEBUG", "line-tables-only"),
    ];
    let printed = shell(&variables, &script());
    let program = GUARD.printed_by("rust,no_run", "fn main");
    let refused = GUARD.printed_by("sh", "psql");
    assert_eq!(printed, format!("{program}{refused}"));
}

/// What a user types and pastes, in the README's order.
fn script() -> String {
    for name in ["in `migrations/0001_report.sql`", "And `src/main.rs`"] {
        assert!(GUARD.says(name), "{name}");
    }
    assert!(GUARD.says("`cargo run` prints"));
    let start = GUARD.block("sh", "cargo new");
    let table = GUARD.block("sql", "create table report (resource text primary key");
    let program = GUARD.block("rust,no_run", "fn main");
    let end = GUARD.block("sh", "psql");
    format!(
        "cd \"$EMPTY\"\n{start}\
         cat >migrations/0001_report.sql <<'END OF FILE'\n{table}END OF FILE\n\
         cat >src/main.rs <<'END OF FILE'\n{program}END OF FILE\n\
         cargo run\n{end}"
    )
}

fn text(path: &Path) -> &str {
    path.to_str().expect("these folders have names in UTF-8")
}

/// A folder outside of every workspace, always the same one: what is built for a package is kept by the package's
/// path. Whoever has it has it alone.
struct EmptyFolder {
    path: PathBuf,
    repository: PathBuf,
    target: PathBuf,
    _alone: File,
}

impl EmptyFolder {
    fn new() -> EmptyFolder {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let target = testbed::target_folder().expect("the test lies where cargo has built it");
        let mut name = DefaultHasher::new();
        target.hash(&mut name);
        let path = env::temp_dir().join(format!("ten-minutes-{:016x}", name.finish()));
        assert!(
            !path.starts_with(repository),
            "cargo would make the new package a member here: set TMPDIR to a folder elsewhere"
        );
        let alone = File::create(target.join("ten-minutes.lock")).unwrap();
        alone.lock().unwrap();
        // A run that was killed has left it.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        EmptyFolder {
            path,
            repository: repository.to_owned(),
            target,
            _alone: alone,
        }
    }
}

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
