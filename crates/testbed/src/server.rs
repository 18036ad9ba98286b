//! What a private Redis and a private Postgres have in common: start, stop, kill, start again.

use std::fs::{self, File, OpenOptions};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::Error;
use crate::child::TiedChild;
use crate::error::{Doing, ServerName};
use crate::family::Family;
use crate::home::Home;
use crate::janitor::Janitor;
use crate::port::Port;

/// A start is tried this often: its port may be taken between the choice and the bind.
const ATTEMPTS: u32 = 4;
/// A server that is not ready after this time never will be. Postgres may have to recover first.
const READY_WITHIN: Duration = Duration::from_secs(60);
/// How often a starting server is asked whether it is ready.
const ASK_EVERY: Duration = Duration::from_millis(2);
/// How long a server may take to stop in good order.
const STOPPED_WITHIN: Duration = Duration::from_secs(5);
/// How long it, and its children, may take otherwise: Postgres itself gives its children 5 s.
const KILLED_WITHIN: Duration = Duration::from_secs(10);
/// How many of its last lines tell why a server did not start.
const LOG_LINES: usize = 15;

/// How one of the servers is run.
pub(crate) trait Recipe {
    /// What messages call it.
    const NAME: ServerName;
    /// Ends it in good order.
    const CLEAN_STOP: Signal;
    /// Ends it when this process ends; quickly, where nobody will look at its data again.
    fn farewell(&self) -> Signal;
    /// A port for it that was free a moment ago.
    fn free_port(&self) -> Result<Port, Error> {
        Port::free()
    }
    /// The command that runs it in the foreground.
    fn command(&self, port: u16) -> Command;
    /// What stands in the command line of that process, and in no other's.
    fn mark(&self, port: u16) -> String;
    /// Whether the process `pid`, and no other, answers on `port`.
    fn is_ready(&self, port: u16, pid: Pid) -> bool;
}

/// A private server, its folder, and the janitor of both.
#[derive(Debug)]
pub(crate) struct Server<R: Recipe> {
    recipe: R,
    port: Port,
    child: Option<TiedChild>,
    log: PathBuf,
    // Dropped in this order: the janitor removes the folder before its lock is freed.
    janitor: Janitor,
    home: Home,
}

impl<R: Recipe> Server<R> {
    /// Starts a server that was prepared in `home`, whose janitor is already at work.
    pub(crate) fn start(recipe: R, home: Home, janitor: Janitor) -> Result<Server<R>, Error> {
        let log = home.path().join(format!("{}.log", R::NAME));
        File::create(&log).doing(|| format!("write {}", log.display()))?;
        let mut server = Server {
            port: recipe.free_port()?,
            recipe,
            child: None,
            log,
            janitor,
            home,
        };
        server.boot_with(|server| {
            server.port = server.recipe.free_port()?;
            Ok(())
        })?;
        Ok(server)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port.number()
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    pub(crate) fn pid(&self) -> Option<Pid> {
        self.child.as_ref().map(TiedChild::pid)
    }

    /// Stops it where it stands, until it is thawed, stopped or killed.
    pub(crate) fn freeze(&self) {
        if let Some(child) = &self.child {
            child.freeze();
        }
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        if let Some(child) = &self.child {
            child.thaw();
        }
    }

    /// Stops it in good order, or kills it if it takes too long.
    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        self.end_with(R::CLEAN_STOP)
    }

    /// Kills it, and waits until its children have noticed and ended, too.
    pub(crate) fn kill_nine(&mut self) -> Result<(), Error> {
        let Some(pid) = self.pid() else {
            return Ok(());
        };
        let family = Family::of(pid);
        self.end_with(Signal::SIGKILL)?;
        if family.gone_within(KILLED_WITHIN) {
            Ok(())
        } else {
            Err(not_stopped::<R>(pid))
        }
    }

    /// Stops it if it runs, and starts it again on the same port.
    pub(crate) fn restart(&mut self) -> Result<(), Error> {
        self.stop()?;
        self.boot_with(|_| Ok(()))
    }

    /// Starts it, and changes something between one attempt and the next.
    fn boot_with(&mut self, change: impl Fn(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        for _ in 1..ATTEMPTS {
            match self.boot() {
                Err(Error::NotStarted { .. }) => change(self)?,
                outcome => return outcome,
            }
        }
        self.boot()
    }

    fn boot(&mut self) -> Result<(), Error> {
        let mut command = self.recipe.command(self.port());
        let log = OpenOptions::new().append(true).open(&self.log);
        let log = log.doing(|| format!("write {}", self.log.display()))?;
        let copy = log.try_clone().doing(|| "copy a file handle".to_owned())?;
        command.stdin(Stdio::null()).stdout(copy).stderr(log);
        let child = TiedChild::spawn(command, self.recipe.farewell())
            .doing(|| format!("run {}", R::NAME))?;
        self.janitor
            .watch(child.pid(), &self.recipe.mark(self.port()));
        let pid = child.pid();
        self.child = Some(child);
        self.await_ready(pid)
            .inspect_err(|_| drop(self.end_with(Signal::SIGKILL)))
    }

    /// Asks until the server is ready, and notices at once when it ends instead.
    fn await_ready(&self, pid: Pid) -> Result<(), Error> {
        let deadline = Instant::now() + READY_WITHIN;
        while !self.recipe.is_ready(self.port(), pid) {
            let ended = self.child.as_ref().and_then(|c| c.ended_within(ASK_EVERY));
            if let Some(status) = ended {
                return Err(self.not_started(format!("it ended ({status})")));
            }
            if Instant::now() > deadline {
                let bound = READY_WITHIN.as_secs();
                return Err(self.not_started(format!("it was not ready after {bound} s")));
            }
        }
        Ok(())
    }

    /// Ends it with `signal`, or else with stronger ones. Postgres ends even children that do not
    /// listen when it gets SIGQUIT; after SIGKILL those would be left.
    fn end_with(&mut self, signal: Signal) -> Result<(), Error> {
        let Some(child) = &self.child else {
            return Ok(());
        };
        let ladder = [
            (signal, STOPPED_WITHIN),
            (Signal::SIGQUIT, KILLED_WITHIN),
            (Signal::SIGKILL, KILLED_WITHIN),
        ];
        for (signal, bound) in ladder {
            child.signal(signal);
            if child.ended_within(bound).is_some() {
                self.child = None;
                self.janitor.forget();
                return Ok(());
            }
        }
        Err(not_stopped::<R>(child.pid()))
    }

    fn not_started(&self, why: String) -> Error {
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        Error::NotStarted {
            server: R::NAME,
            why,
            log: lines[lines.len().saturating_sub(LOG_LINES)..].join("\n"),
        }
    }
}

impl<R: Recipe> Drop for Server<R> {
    fn drop(&mut self) {
        // A server that cannot even be killed is left to the janitor, which tries the same again.
        let _ = self.end_with(self.recipe.farewell());
    }
}

fn not_stopped<R: Recipe>(pid: Pid) -> Error {
    Error::NotStopped {
        server: R::NAME,
        pid: pid.as_raw().cast_unsigned(),
    }
}
