//! A child whose end can be awaited for a bounded time, and that is never signalled after its end.

use std::io;
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;

use crate::spawner::spawn_tied;

/// A running child of this process, with a thread that waits for its end.
#[derive(Debug)]
pub(crate) struct TiedChild {
    pid: Pid,
    /// The pipe to it, if its command asked for one.
    pub(crate) stdin: Option<ChildStdin>,
    end: Arc<End>,
}

/// How the child ended, once it has.
#[derive(Debug, Default)]
struct End {
    status: Mutex<Option<ExitStatus>>,
    came: Condvar,
}

impl TiedChild {
    pub(crate) fn spawn(command: Command, farewell: Signal) -> io::Result<TiedChild> {
        let mut child = spawn_tied(command, farewell)?;
        let stdin = child.stdin.take();
        let pid = Pid::from_raw(child.id().cast_signed());
        let end = Arc::new(End::default());
        let theirs = Arc::clone(&end);
        thread::Builder::new()
            .name(format!("reaper-{pid}"))
            .spawn(move || theirs.reap(child, pid))?;
        Ok(TiedChild { pid, stdin, end })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal, and wakes the child if it is stopped, so that the signal takes effect.
    pub(crate) fn signal(&self, signal: Signal) {
        // The lock keeps the reaper from freeing the number for another process meanwhile.
        let status = self.end.lock();
        if status.is_none() {
            // It can only fail when the child is gone, which is what the caller wants to reach.
            let _ = signal::kill(self.pid, signal);
            let _ = signal::kill(self.pid, Signal::SIGCONT);
        }
    }

    /// Stops it where it stands, until it is thawed or gets another signal.
    pub(crate) fn freeze(&self) {
        let status = self.end.lock();
        if status.is_none() {
            let _ = signal::kill(self.pid, Signal::SIGSTOP);
        }
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Waits for the end, at most as long as `bound`.
    pub(crate) fn ended_within(&self, bound: Duration) -> Option<ExitStatus> {
        let status = self.end.lock();
        let waited = self
            .end
            .came
            .wait_timeout_while(status, bound, |s| s.is_none());
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for the end.
    pub(crate) fn ended(&self) -> ExitStatus {
        loop {
            if let Some(status) = self.ended_within(Duration::from_secs(3600)) {
                return status;
            }
        }
    }
}

impl End {
    fn lock(&self) -> MutexGuard<'_, Option<ExitStatus>> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reap(&self, mut child: Child, pid: Pid) {
        await_end(&mut child, pid);
        let mut status = self.lock();
        // `wait` fails only where somebody else reaps this process' children; the child has ended
        // then, too, and nothing is known about how.
        *status = Some(child.wait().unwrap_or_default());
        self.came.notify_all();
    }
}

/// Waits for the end without reaping: the number stays the child's until the lock is held.
#[cfg(target_os = "linux")]
fn await_end(_child: &mut Child, pid: Pid) {
    use nix::errno::Errno;
    use nix::sys::wait::{Id, WaitPidFlag, waitid};

    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    while waitid(Id::Pid(pid), flags) == Err(Errno::EINTR) {}
}

/// Reaps at once for want of `waitid`: for an instant the number is free and the lock not held.
/// (A second `wait` answers with the status that the first one kept.)
#[cfg(not(target_os = "linux"))]
fn await_end(child: &mut Child, _pid: Pid) {
    let _ = child.wait();
}
