//! One step of the checks: announced, run, timed.

use std::env;
use std::process::{Command, Stdio};
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
fn line(command: &Command) -> String {
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    let mut words = vec!["cargo".into()];
    words.extend(arguments);
    words.join(" ")
}
