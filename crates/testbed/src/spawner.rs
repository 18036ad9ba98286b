//! One thread that starts every server, and never ends.
//!
//! Linux sends a child's "your parent died" signal when the *thread* that forked it ends, not the
//! process. A server forked by a test's thread would die with that test.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{OnceLock, mpsc};
use std::thread;

use nix::sys::signal::Signal;

type Job = Box<dyn FnOnce() + Send>;

/// Starts `command` as a child that gets the signal `farewell` when this process ends, however
/// that happens, and that the terminal's Ctrl-C does not reach.
///
/// Only Linux can do the first; elsewhere the janitor alone stops the servers.
pub fn spawn_tied(mut command: Command, farewell: Signal) -> io::Result<Child> {
    command.process_group(0);
    tie(&mut command, farewell);
    let (reply, child) = mpsc::channel();
    let job: Job = Box::new(move || {
        // The receiver waits below, so the send cannot fail.
        let _ = reply.send(command.spawn());
    });
    let gone = || io::Error::other("the thread that starts servers is gone");
    spawner()?.send(job).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

fn spawner() -> io::Result<&'static mpsc::Sender<Job>> {
    static SPAWNER: OnceLock<mpsc::Sender<Job>> = OnceLock::new();
    if let Some(running) = SPAWNER.get() {
        return Ok(running);
    }
    let (sender, jobs) = mpsc::channel::<Job>();
    thread::Builder::new()
        .name("server-spawner".into())
        .spawn(move || jobs.into_iter().for_each(|job| job()))?;
    // When two threads came here at once, the spawner that lost has started nothing, and ends.
    Ok(SPAWNER.get_or_init(|| sender))
}

#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "only the child itself can ask for its parent-death signal"
)]
fn tie(command: &mut Command, farewell: Signal) {
    use nix::unistd::{getpid, getppid};

    let parent = getpid();
    let step = move || {
        nix::sys::prctl::set_pdeathsig(farewell)?;
        // The parent may have died before the line above; then no signal will ever come.
        if getppid() == parent {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(nix::libc::ESRCH))
        }
    };
    // SAFETY: between fork and exec the closure makes two system calls and builds an error from a
    // number: it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(step);
    }
}

#[cfg(not(target_os = "linux"))]
fn tie(_command: &mut Command, _farewell: Signal) {}
