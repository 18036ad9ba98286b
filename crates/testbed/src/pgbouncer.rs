//! A private PgBouncer.

use std::fs::{self, DirBuilder};
use std::net::TcpStream;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::account::Account;
use crate::error::{Doing, ServerName};
use crate::home::Home;
use crate::janitor::Janitor;
use crate::server::{Recipe, Server};
use crate::{Error, Options, PostgresServer, find};

/// A private PgBouncer on a loopback port, in front of a private Postgres: `pool_mode =
/// transaction`, no password, every client becomes the superuser `postgres`.
///
/// It is started from an installed binary: the one that `PGBOUNCER` names, else one in `PATH`,
/// `/usr/sbin` or `/usr/bin`. Dropping the handle stops it; so does the end of this process.
#[derive(Debug)]
pub struct PgBouncer {
    _server: Server<PgBouncerRecipe>,
    url: String,
}

impl PgBouncer {
    /// The installed PgBouncer that [`start`](Self::start) would run.
    ///
    /// # Errors
    /// [`Error::NotFound`] where none is installed, [`Error::WrongVariable`] when `PGBOUNCER` leads
    /// nowhere.
    pub fn find() -> Result<PathBuf, Error> {
        find::installed_pgbouncer()
    }

    /// Starts one in front of `postgres`, which it reaches by its URL: it may be restarted.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no PgBouncer is installed; others when it cannot be started.
    pub fn start(postgres: &PostgresServer, options: &Options) -> Result<PgBouncer, Error> {
        let program = PgBouncer::find()?;
        let account = Account::of_servers()?;
        let home = Home::throw_away()?;
        let janitor = Janitor::start(home.path(), home.fate(), PgBouncerRecipe::CLEAN_STOP)
            .doing(|| "run /bin/sh".to_owned())?;
        let folder = home.path().join("pgbouncer");
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .and_then(|()| account.own(&folder))
            .doing(|| format!("make the folder {}", folder.display()))?;
        let recipe = PgBouncerRecipe {
            program,
            account,
            postgres_port: postgres.port(),
            settings: settings(&folder, options),
            folder,
        };
        let server = Server::start(recipe, home, janitor)?;
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres", server.port());
        Ok(PgBouncer {
            _server: server,
            url,
        })
    }

    /// The URL of the database `postgres` behind it.
    pub fn url(&self) -> &str {
        &self.url
    }
}

#[derive(Debug)]
struct PgBouncerRecipe {
    program: PathBuf,
    account: Account,
    postgres_port: u16,
    folder: PathBuf,
    settings: Vec<(String, String)>,
}

impl Recipe for PgBouncerRecipe {
    const NAME: ServerName = ServerName::PgBouncer;
    /// At once; SIGINT would wait for the clients.
    const CLEAN_STOP: Signal = Signal::SIGTERM;

    fn farewell(&self) -> Signal {
        Self::CLEAN_STOP
    }

    fn command(&self, port: u16) -> Command {
        let file = file(&self.folder);
        // The port can be said nowhere but in the file. Where it cannot be written, PgBouncer does
        // not start either, and its log says why.
        let _ = fs::write(&file, self.text(port)).and_then(|()| self.account.own(&file));
        let mut command = Command::new(&self.program);
        command.arg(&file);
        self.account.applied_to(&mut command);
        command.current_dir("/");
        command
    }

    fn mark(&self, _port: u16) -> String {
        file(&self.folder).display().to_string()
    }

    /// It writes its number into the file once it listens; another server may have won the port.
    fn is_ready(&self, port: u16, pid: Pid) -> bool {
        let number = fs::read_to_string(self.folder.join("pid")).unwrap_or_default();
        number.trim() == pid.to_string() && TcpStream::connect(("127.0.0.1", port)).is_ok()
    }
}

impl PgBouncerRecipe {
    /// The configuration file.
    fn text(&self, port: u16) -> String {
        let mut lines = vec![
            "[databases]".to_owned(),
            format!(
                "* = host=127.0.0.1 port={} user=postgres",
                self.postgres_port
            ),
            "[pgbouncer]".to_owned(),
            format!("listen_port = {port}"),
        ];
        let settings = self.settings.iter();
        lines.extend(settings.map(|(name, value)| format!("{name} = {value}")));
        lines.join("\n") + "\n"
    }
}

/// The settings of every private PgBouncer, then those that the options ask for.
fn settings(folder: &Path, options: &Options) -> Vec<(String, String)> {
    let pid_file = folder.join("pid").display().to_string();
    let always = [
        ("listen_addr", "127.0.0.1"),
        // No socket file, whose path would have to be short.
        ("unix_socket_dir", ""),
        ("pidfile", &pid_file),
        ("auth_type", "any"),
        ("pool_mode", "transaction"),
        // Clients send it at the start, and PgBouncer refuses what it does not know.
        ("ignore_startup_parameters", "extra_float_digits"),
    ];
    always
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .chain(options.pgbouncer.iter().cloned())
        .collect()
}

fn file(folder: &Path) -> PathBuf {
    folder.join("pgbouncer.ini")
}
