//! A command whose whole family ends with this process.

use std::io::{self, Write};
use std::process::{Command, ExitStatus, Stdio};

use nix::sys::signal::Signal;

use crate::child::TiedChild;
use crate::watcher::Watcher;

/// Runs `command` to its end, in its own process group, which is killed when this process ends
/// before it, however that happens.
///
/// A parent-death signal reaches children only; the compiler or the test that `cargo` started would
/// live on. The group holds them all. The command reads nothing, and writes where this process does.
///
/// # Errors
/// When the command, or the shell that watches over it, cannot be started.
pub fn run_in_group(command: Command) -> io::Result<ExitStatus> {
    let mut watcher = Watcher::start(include_str!("../sh/kill-group.sh"), &[])?;
    let mut child = TiedChild::spawn(gated(&command), Signal::SIGKILL)?;
    watcher.tell(&child.pid().to_string());
    // Only now may it start children of its own: whoever kills this process a moment earlier finds
    // nothing but the gate, which ends with its pipe.
    if let Some(mut gate) = child.stdin.take() {
        writeln!(gate)?;
    }
    let status = child.ended();
    watcher.tell("");
    Ok(status)
}

/// The same command behind a gate: a shell that waits for a line, and then becomes it.
fn gated(command: &Command) -> Command {
    let mut gated = Command::new("/bin/sh");
    gated
        .arg("-c")
        .arg(r#"read -r _ && exec "$@" </dev/null"#)
        .arg("testbed-gate");
    gated.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => gated.env(name, value),
            None => gated.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        gated.current_dir(folder);
    }
    gated.stdin(Stdio::piped());
    gated
}
