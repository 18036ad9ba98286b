//! A shell that outlives this process, however it ends, for as long as it has something to do.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A `/bin/sh` in its own session that reads a pipe from this process.
///
/// The kernel closes the pipe when this process is gone, also after SIGKILL: that end of input is
/// the news that the script acts on. In its own session neither Ctrl-C nor a closed terminal
/// reaches it.
#[derive(Debug)]
pub(crate) struct Watcher {
    shell: Child,
}

impl Watcher {
    pub(crate) fn start(script: &str, arguments: &[&OsStr]) -> io::Result<Watcher> {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg("testbed-watcher");
        shell.args(arguments).current_dir("/");
        shell.stdin(Stdio::piped());
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        own_session(&mut shell);
        Ok(Watcher {
            shell: shell.spawn()?,
        })
    }

    /// Writes one line to the script.
    pub(crate) fn tell(&mut self, line: &str) {
        if let Some(pipe) = &mut self.shell.stdin {
            // When the watcher was killed, nobody is left to be told, and the servers still have
            // their parent-death signal: not a reason to fail.
            let _ = writeln!(pipe, "{line}");
        }
    }
}

impl Drop for Watcher {
    /// Ends the input, and waits until the script has done its work.
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

#[allow(
    unsafe_code,
    reason = "only the child itself can leave its parent's session"
)]
fn own_session(command: &mut Command) {
    let step = || {
        nix::unistd::setsid()?;
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes one system call; it neither allocates nor
    // takes a lock.
    unsafe {
        command.pre_exec(step);
    }
}
