//! `cargo xtask test`: everything that must hold, step by step.

use std::process::{Command, Stdio};
use std::time::Instant;

use testbed::{Options, Pair};

use crate::browser::provision_browser;
use crate::error::Error;
use crate::provision::{provision, provision_pooler};
use crate::psycopg::provision_psycopg;
use crate::step::{cargo, step};

/// Runs all checks, or with filters only the tests that they choose.
pub(crate) fn run(filters: &[String]) -> Result<(), Error> {
    let start = Instant::now();
    provision()?;
    provision_pooler()?;
    provision_psycopg()?;
    provision_browser()?;
    if filters.is_empty() {
        check_sources()?;
    }
    test(filters)?;
    if filters.is_empty() {
        tell_the_story()?;
    }
    eprintln!(
        "\nall steps passed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn check_sources() -> Result<(), Error> {
    require("fmt", "rustfmt")?;
    require("clippy", "clippy")?;
    step("format", cargo(&["fmt", "--all", "--check"]))?;
    let mut lints = cargo(&["clippy", "--quiet", "--workspace"]);
    lints.args(["--all-targets", "--all-features", "--", "-D", "warnings"]);
    step("lints", lints)?;
    let mut docs = cargo(&[
        "doc",
        "--quiet",
        "--workspace",
        "--all-features",
        "--no-deps",
    ]);
    docs.env("RUSTDOCFLAGS", "-Dwarnings");
    step("documentation", docs)
}

/// All test programs share one pair. Those that kill servers start their own.
fn test(filters: &[String]) -> Result<(), Error> {
    let pair = Pair::start(&Options::throw_away())?;
    for notice in pair.notices() {
        eprintln!("          {notice}");
    }
    let with_pair = |mut command: Command| {
        command.env("REDIS_URL", pair.redis_url());
        command.env("DATABASE_URL", pair.database_url());
        command
    };
    let versions = [
        "run",
        "--quiet",
        "--package",
        "testbed",
        "--example",
        "versions",
    ];
    step("servers", with_pair(cargo(&versions)))?;
    // One run tells everything that fails: the next one is twenty minutes away.
    let mut tests = cargo(&[
        "test",
        "--workspace",
        "--all-features",
        "--no-fail-fast",
        "--",
    ]);
    tests.args(filters);
    step("tests", with_pair(tests))
}

/// The staircase through the real program, on servers that it finds or starts itself.
fn tell_the_story() -> Result<(), Error> {
    let story = ["run", "--quiet", "--package", "double-charge", "--"];
    step("staircase", cargo(&story))
}

/// Says how to get a tool that a minimal toolchain lacks.
fn require(tool: &'static str, component: &'static str) -> Result<(), Error> {
    let mut command = cargo(&[tool, "--version"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Component { tool, component }),
    }
}
