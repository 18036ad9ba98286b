//! A private Postgres.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::account::Account;
use crate::error::{Doing, ServerName};
use crate::home::Home;
use crate::janitor::{Fate, Janitor};
use crate::server::{Recipe, Server};
use crate::template::{Installation, new_data};
use crate::{Error, Options, find};

/// A private Postgres on a loopback port; superuser `postgres`, no password.
///
/// It is started from installed binaries, never looked for behind a URL: it may be killed. Dropping
/// the handle stops it and removes its data, unless that is kept; so does the end of this process.
#[derive(Debug)]
pub struct PostgresServer {
    server: Server<PostgresRecipe>,
    data: PathBuf,
    url: String,
    notices: Vec<String>,
}

impl PostgresServer {
    /// Starts one.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no Postgres is installed; others when it cannot be started.
    pub fn start(options: &Options) -> Result<PostgresServer, Error> {
        PostgresServer::start_from(find::installed_postgres()?, options)
    }

    pub(crate) fn start_from(folder: PathBuf, options: &Options) -> Result<PostgresServer, Error> {
        let installation = Installation::new(folder, Account::of_servers()?)?;
        let mut notices = Vec::new();
        let home = match &options.kept {
            Some(folder) => Home::kept(folder, &mut notices)?,
            None => Home::throw_away()?,
        };
        let farewell = match home.fate() {
            Fate::Removed => Signal::SIGQUIT,
            Fate::Kept => PostgresRecipe::CLEAN_STOP,
        };
        let janitor = Janitor::start(home.path(), home.fate(), farewell)
            .doing(|| "run /bin/sh".to_owned())?;
        let data = prepare(&installation, &home)?;
        let recipe = PostgresRecipe {
            installation,
            data: data.clone(),
            farewell,
            settings: settings(options),
        };
        let server = Server::start(recipe, home, janitor)?;
        let port = server.port();
        Ok(PostgresServer {
            server,
            data,
            url: format!("postgres://postgres@127.0.0.1:{port}/postgres"),
            notices,
        })
    }

    /// The URL of its database `postgres`, the same after [`restart`](Self::restart).
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.port()
    }

    /// Its data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Whether the data stays when the server goes.
    pub fn is_kept(&self) -> bool {
        self.server.home().fate() == Fate::Kept
    }

    /// What is not as the options wanted it, in whole sentences without a final dot.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Its first process (the postmaster), while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.server.pid().map(|pid| pid.as_raw().cast_unsigned())
    }

    /// Stops it in good order, without waiting for its clients ("fast shutdown").
    ///
    /// # Errors
    /// [`Error::NotStopped`] when not even killing ends it.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.server.stop()
    }

    /// Kills its first process with SIGKILL, and waits until its children have ended, too.
    ///
    /// # Errors
    /// [`Error::NotStopped`] when one of them does not end in time.
    pub fn kill_nine(&mut self) -> Result<(), Error> {
        self.server.kill_nine()
    }

    /// Starts it again on the same data and the same port; stops it first if it runs.
    ///
    /// # Errors
    /// [`Error::NotStarted`] when it does not come back.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.server.restart()
    }
}

#[derive(Debug)]
struct PostgresRecipe {
    installation: Installation,
    data: PathBuf,
    farewell: Signal,
    settings: Vec<(String, String)>,
}

impl Recipe for PostgresRecipe {
    const NAME: ServerName = ServerName::Postgres;
    /// "Fast shutdown": clients are cut off, and a checkpoint is written.
    const CLEAN_STOP: Signal = Signal::SIGINT;

    fn farewell(&self) -> Signal {
        self.farewell
    }

    fn command(&self, port: u16) -> Command {
        let mut command = self.installation.command("postgres");
        command.arg("-D").arg(&self.data);
        command.args(["-p", &port.to_string()]);
        for (name, value) in &self.settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command
    }

    fn mark(&self, _port: u16) -> String {
        self.data.display().to_string()
    }

    /// Postgres writes its state into line 8 of its lock file; no client is needed. Line 1 must be
    /// our process: the file of a killed predecessor says "ready", too.
    fn is_ready(&self, _port: u16, pid: Pid) -> bool {
        let lines = fs::read_to_string(lock_file(&self.data)).unwrap_or_default();
        let mut lines = lines.lines().map(str::trim);
        lines.next() == Some(pid.to_string().as_str()) && lines.nth(6) == Some("ready")
    }
}

/// The settings of every private Postgres, then those that the options ask for.
fn settings(options: &Options) -> Vec<(String, String)> {
    let always = [
        ("listen_addresses", "127.0.0.1"),
        // No socket file, whose path would have to be short.
        ("unix_socket_directories", ""),
        ("max_connections", "300"),
        // In the data folder, so that a killed server leaves nothing behind in the system.
        ("dynamic_shared_memory_type", "mmap"),
        ("timezone", "UTC"),
        ("log_timezone", "UTC"),
    ];
    let fast = [
        ("fsync", "off"),
        ("full_page_writes", "off"),
        ("synchronous_commit", "off"),
    ];
    let fast = fast.into_iter().filter(|_| !options.durable);
    let ours = always.into_iter().chain(fast);
    ours.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .chain(options.postgres.iter().cloned())
        .collect()
}

/// A data folder to start on: the kept one, else a new one.
fn prepare(installation: &Installation, home: &Home) -> Result<PathBuf, Error> {
    // Another version cannot read the data, another account cannot enter it.
    let folder = home.path().join(installation.data_key());
    let made = DirBuilder::new().mode(0o700).create(&folder);
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => other
            .and_then(|()| installation.account().own(&folder))
            .doing(|| format!("make the folder {}", folder.display()))?,
    }
    let data = folder.join("data");
    if data.join("PG_VERSION").exists() {
        end_survivor(&data)?;
    } else {
        new_data(installation, &data)?;
    }
    Ok(data)
}

/// Ends a server that outlived the process that started it, and removes the lock file of a killed
/// one: Postgres would not start if another process bore the number in it by now.
///
/// The lock on the kept folder says that no living run uses the data.
fn end_survivor(data: &Path) -> Result<(), Error> {
    let lock_file = lock_file(data);
    let Ok(lines) = fs::read_to_string(&lock_file) else {
        return Ok(());
    };
    let first = lines.lines().next().unwrap_or_default();
    if let Ok(pid) = first.trim().parse() {
        let mut janitor = Janitor::start(data, Fate::Kept, PostgresRecipe::CLEAN_STOP)
            .doing(|| "run /bin/sh".to_owned())?;
        janitor.watch(Pid::from_raw(pid), &data.display().to_string());
        // Dropping it waits until it has done its work.
        drop(janitor);
    }
    match fs::remove_file(&lock_file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).doing(|| format!("remove {}", lock_file.display()))
        }
        _ => Ok(()),
    }
}

fn lock_file(data: &Path) -> PathBuf {
    data.join("postmaster.pid")
}
