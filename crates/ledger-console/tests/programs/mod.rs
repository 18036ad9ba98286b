//! Programs that tests start, and that end with them.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// A program that ends with its handle, and with it whatever it has started: a driver that is killed alone leaves its
/// browsers behind.
pub(crate) struct Program(Child);

impl Program {
    /// Starts it, and waits for its line that contains `word`; where there is none the test fails and says `else_say`.
    pub(crate) fn start(mut command: Command, word: &str, else_say: &str) -> (Program, String) {
        command.stdout(Stdio::piped()).process_group(0);
        let child = testbed::spawn_tied(command, Signal::SIGKILL);
        let mut program = Program(child.unwrap_or_else(|error| panic!("{else_say} ({error})")));
        let mut output = BufReader::new(program.0.stdout.take().expect("it is piped")).lines();
        let line = output.find_map(|line| line.ok().filter(|line| line.contains(word)));
        let line =
            line.unwrap_or_else(|| panic!("it ended without a word of {word:?}: {else_say}"));
        // It may write on: to nobody, but not into a closed pipe.
        std::thread::spawn(move || output.for_each(drop));
        (program, line)
    }

    /// `ledger serve` on this database, and its URL without a path.
    pub(crate) fn serve(database: &str) -> (Program, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ledger"));
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("DATABASE_URL", database)
            .env_remove("REDIS_URL");
        let (program, line) = Program::start(command, "http://", "it is our own program");
        (program, line.trim_end_matches('/').to_owned())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let group = i32::try_from(self.0.id()).expect("it is a process");
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        let _ = self.0.wait();
    }
}
