//! `xtask` as a process.

use std::path::Path;
use std::process::Command;

/// `xtask` with the script `cargo/NAME.sh` as its Cargo.
///
/// The URLs that it gets name nothing: no script comes as far as to ask a server, or to start the
/// pooler that the script also stands for, so that no test installs one. Nor psycopg: its Python has it.
/// Nor a browser: the script stands for that, too.
pub(crate) fn xtask(cargo: &str) -> Command {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let scripts = tests.join("cargo");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .env("CARGO", scripts.join(format!("{cargo}.sh")))
        .env("PGBOUNCER", scripts.join(format!("{cargo}.sh")))
        .env("CHROMIUM", scripts.join(format!("{cargo}.sh")))
        .env("CHROMEDRIVER", scripts.join(format!("{cargo}.sh")))
        .env("PYTHON", tests.join("python/has-psycopg/python3"))
        .env("REDIS_URL", "redis://:secret@127.0.0.1:1/")
        .env("DATABASE_URL", "postgres://app:secret@127.0.0.1:1/app");
    command
}
