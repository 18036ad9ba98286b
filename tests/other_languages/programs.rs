//! `psql`, Python and the shell as processes.

use std::env;
use std::io::Write;
use std::iter;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use promises::DONE_WITHIN;

/// The switches with which the page calls `psql` on a script.
const PSQL: [&str; 6] = ["-X", "-qA", "-P", "footer=off", "-v", "SHOW_CONTEXT=never"];

/// What `psql` prints while it runs a script, errors among the rest as on a terminal.
///
/// # Panics
/// When it ends with an error of its own, or, where the script stops at the first one, of Postgres.
pub(crate) fn psql(url: &str, variables: &[String], script: &str) -> String {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", r#"exec "$0" "$@" 2>&1"#]);
    shell.arg(find(include_str!("find-psql.sh"))).args(PSQL);
    for variable in variables {
        shell.args(["-v", variable]);
    }
    said(&mut shell, &[url], script)
}

/// What a Python program prints that gets the database as its argument.
///
/// # Panics
/// When no python3 has psycopg, and when the program fails.
pub(crate) fn python(url: &str, program: &str) -> String {
    let python = find(include_str!("../../crates/xtask/sh/find-psycopg.sh"));
    said(&mut Command::new(python), &["-", url], program)
}

/// What a script of the shell prints that is told of servers by its environment, and that may call `psql`.
///
/// # Panics
/// When it fails.
pub(crate) fn shell(variables: &[(&str, &str)], script: &str) -> String {
    let psql = find(include_str!("find-psql.sh"));
    let folder = Path::new(&psql).parent().expect("a path of a program");
    let path = env::var_os("PATH").unwrap_or_default();
    let path = iter::once(folder.to_owned()).chain(env::split_paths(&path));
    let mut shell = Command::new("/bin/sh");
    shell.env("PATH", env::join_paths(path).expect("folders of PATH"));
    shell.envs(variables.iter().copied());
    said(&mut shell, &["-eu"], script)
}

/// Runs a script that finds a program.
fn find(script: &str) -> String {
    let mut shell = Command::new("/bin/sh");
    let environment = testbed::target_folder().map(|target| target.join("psycopg"));
    shell.args(["-c", script, "find"]);
    shell.arg(environment.unwrap_or_default());
    said(&mut shell, &[], "").trim_end().to_owned()
}

/// The standard output of a command that gets `input`, and has to succeed.
///
/// # Panics
/// When it fails, with what it said.
pub(crate) fn said(command: &mut Command, arguments: &[&str], input: &str) -> String {
    command.args(arguments);
    // Whatever speaks to Postgres has the bound of every other statement of these tests.
    let bound_ms = DONE_WITHIN.as_millis();
    command.env("PGOPTIONS", format!("-c statement_timeout={bound_ms}"));
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program can be run");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    // No program here prints more than a pipe holds before it has read its input. One that ends before
    // it has read all of it fails, or never needed it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("it ends");
    let stdout = String::from_utf8(stdout).expect("text");
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{status}: {stderr}{stdout}");
    stdout
}
