//! Stops a server and removes its folder once the process that started it is gone.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::watcher::Watcher;

/// What becomes of the folder when its server has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is removed with all that is in it.
    Removed,
    /// It stays for the next run.
    Kept,
}

/// The shell that cleans up after one server.
#[derive(Debug)]
pub(crate) struct Janitor(Watcher);

impl Janitor {
    /// Starts it with nothing but the folder to look after.
    pub(crate) fn start(folder: &Path, fate: Fate, stop: Signal) -> io::Result<Janitor> {
        let fate = match fate {
            Fate::Removed => "remove",
            Fate::Kept => "keep",
        };
        // A shell's `kill` wants INT for SIGINT.
        let signal = stop.as_str().trim_start_matches("SIG");
        let arguments = [OsStr::new(signal), folder.as_os_str(), OsStr::new(fate)];
        Watcher::start(include_str!("../sh/janitor.sh"), &arguments).map(Janitor)
    }

    /// Names the process to stop at the end. `mark` stands in its command line: a process that got
    /// the same number later is not touched.
    pub(crate) fn watch(&mut self, pid: Pid, mark: &str) {
        self.0.tell(&format!("{pid} {mark}"));
    }

    /// The process has ended and was waited for.
    pub(crate) fn forget(&mut self) {
        self.0.tell("");
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;
    use crate::folder::tests::Scratch;

    /// A child that nothing but the janitor will end.
    fn sleeper(mark: &str) -> Child {
        Command::new("/bin/sh")
            .args(["-c", "while :; do sleep 60 & wait; done", mark])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Ends the child; tells whether it had ended before.
    fn end(mut child: Child) -> bool {
        let ended = child.try_wait().unwrap().is_some();
        // It cannot be killed when it has ended.
        let _ = child.kill();
        child.wait().unwrap();
        ended
    }

    #[test]
    fn the_janitor_alone_stops_the_process_and_removes_the_folder() {
        let folder = Scratch::new();
        let child = sleeper("mark-of-this-test");
        let mut janitor = Janitor::start(folder.path(), Fate::Removed, Signal::SIGTERM).unwrap();
        janitor.watch(Pid::from_raw(child.id().cast_signed()), "mark-of-this-test");
        drop(janitor);
        assert!(end(child), "the janitor left the process running");
        assert!(!folder.path().exists());
    }

    #[test]
    fn the_janitor_keeps_a_kept_folder() {
        let folder = Scratch::new();
        drop(Janitor::start(folder.path(), Fate::Kept, Signal::SIGTERM).unwrap());
        assert!(folder.path().exists());
    }

    #[test]
    fn a_process_without_the_mark_is_not_touched() {
        let folder = Scratch::new();
        let stranger = sleeper("some-other-process");
        let mut janitor = Janitor::start(folder.path(), Fate::Removed, Signal::SIGTERM).unwrap();
        janitor.watch(
            Pid::from_raw(stranger.id().cast_signed()),
            "mark-of-this-test",
        );
        drop(janitor);
        assert!(!end(stranger), "the janitor ended a stranger");
    }

    #[test]
    fn a_forgotten_process_is_not_touched() {
        let folder = Scratch::new();
        let child = sleeper("mark-of-this-test");
        let mut janitor = Janitor::start(folder.path(), Fate::Removed, Signal::SIGTERM).unwrap();
        janitor.watch(Pid::from_raw(child.id().cast_signed()), "mark-of-this-test");
        janitor.forget();
        drop(janitor);
        assert!(!end(child), "the janitor ended a forgotten process");
    }
}
