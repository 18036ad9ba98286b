//! A command whose whole family ends with this process.

use std::io;
use std::process::{Command, ExitStatus};

use nix::sys::signal::Signal;

use crate::child::TiedChild;
use crate::watcher::Watcher;

/// Runs `command` to its end, in its own process group, which is killed when this process ends
/// before it, however that happens.
///
/// A parent-death signal reaches children only; the compiler or the test that `cargo` started would
/// live on. The group holds them all.
///
/// # Errors
/// When the command, or the shell that watches over it, cannot be started.
pub fn run_in_group(command: Command) -> io::Result<ExitStatus> {
    // The watcher comes first: it must not be missing when there is something to kill.
    let mut watcher = Watcher::start(include_str!("../sh/kill-group.sh"), &[])?;
    let child = TiedChild::spawn(command, Signal::SIGKILL)?;
    watcher.tell(&child.pid().to_string());
    let status = child.ended();
    watcher.tell("");
    Ok(status)
}
