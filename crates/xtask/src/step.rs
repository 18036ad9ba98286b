//! One step of the checks: announced, run, timed.

use std::env;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use testbed::run_in_group;

use crate::error::Error;

/// Runs `command` as the step `name`; everything that it starts ends with this process.
pub(crate) fn step(name: &str, mut command: Command) -> Result<(), Error> {
    eprintln!("\n── {name}: {}", line(&command));
    command.stdin(Stdio::null());
    let start = Instant::now();
    let status = run_in_group(command).map_err(|source| Error::Run {
        what: name.to_owned(),
        source,
    })?;
    let seconds = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(Error::Step {
            step: name.to_owned(),
            status: status.to_string(),
        });
    }
    eprintln!("── {name}: ok, {seconds:.1} s");
    Ok(())
}

/// Runs `command`, announced as `what`, with all that it prints going to the file `log`. How it
/// ended is for the caller to judge.
pub(crate) fn logged(
    name: &str,
    what: &str,
    command: &Command,
    log: &Path,
) -> io::Result<ExitStatus> {
    eprintln!("── {name}: {what} (output in {})", log.display());
    let start = Instant::now();
    let status = run_in_group(into_file(command, log))?;
    let seconds = start.elapsed().as_secs_f64();
    let outcome = if status.success() { "ok" } else { "failed" };
    eprintln!("── {name}: {outcome}, {seconds:.1} s");
    Ok(status)
}

/// The last line of the file `log` that is more than a warning.
pub(crate) fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    last_line(&String::from_utf8_lossy(&text)).to_owned()
}

fn last_line(text: &str) -> &str {
    let is_warning = |line: &&str| line.starts_with("W:") || line.starts_with("WARNING");
    let mut lines = text.lines().map(str::trim);
    let last = lines.rfind(|line| !line.is_empty() && !is_warning(line));
    last.unwrap_or("it said nothing")
}

/// The Cargo that runs this program, with `arguments`.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    // What Cargo set for this program is not meant for the next one: build scripts that look at it
    // would run anew each time.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    let mut words = vec!["cargo".into()];
    words.extend(arguments);
    words.join(" ")
}

/// The same command, behind a shell that sends what it prints to `log`: a step writes where this
/// process does, whatever its command says.
fn into_file(command: &Command, log: &Path) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", r#"log=$1; shift; exec "$@" >"$log" 2>&1"#, "logged"])
        .arg(log)
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell
}

#[cfg(test)]
mod tests {
    use super::last_line;

    #[test]
    fn a_warning_after_the_error_is_not_taken_for_the_reason() {
        let pip = "ERROR: No matching distribution found for x\nWARNING: you run an old pip\n\n";
        assert_eq!(
            last_line(pip),
            "ERROR: No matching distribution found for x"
        );
        let apt = "E: Unable to locate package x\nW: Some index files failed to download\n";
        assert_eq!(last_line(apt), "E: Unable to locate package x");
    }

    #[test]
    fn silence_is_told_as_such() {
        assert_eq!(last_line("\n"), "it said nothing");
    }
}
