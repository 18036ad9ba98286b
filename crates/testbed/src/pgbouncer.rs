//! A private PgBouncer.

use std::fs::{self, DirBuilder};
use std::net::TcpStream;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
/// It tracks no prepared statements, as all versions before 1.21 did not: a client that names its
/// statements meets those of others.
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
            account,
            postgres_port: postgres.port(),
            settings: settings(&program, &folder, options)?,
            program,
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
    /// The one signal that ends every version at once: since 1.23 the others wait for the clients.
    const CLEAN_STOP: Signal = Signal::SIGQUIT;

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
fn settings(
    program: &Path,
    folder: &Path,
    options: &Options,
) -> Result<Vec<(String, String)>, Error> {
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
    // An older version refuses to start with a setting that it does not know.
    let untracked =
        tracks_statements(&version(program)?).then_some(("max_prepared_statements", "0"));
    let ours = always.into_iter().chain(untracked);
    Ok(ours
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .chain(options.pgbouncer.iter().cloned())
        .collect())
}

/// What the program says of its version, such as `PgBouncer 1.18.0` in the first of some lines.
fn version(program: &Path) -> Result<String, Error> {
    let mut command = Command::new(program);
    let output = command.arg("--version").stdin(Stdio::null()).output();
    let output = output.doing(|| format!("run {}", program.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether this version can follow prepared statements over its server connections.
fn tracks_statements(version: &str) -> bool {
    let number = version.split_whitespace().nth(1).unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse().unwrap_or(0));
    let parts: (u32, u32) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    parts >= (1, 21)
}

fn file(folder: &Path) -> PathBuf {
    folder.join("pgbouncer.ini")
}

#[cfg(test)]
mod tests {
    use super::tracks_statements;

    #[test]
    fn versions_from_1_21_on_track_prepared_statements() {
        assert!(!tracks_statements(
            "PgBouncer 1.18.0\nlibevent 2.1.12-stable\n"
        ));
        assert!(tracks_statements("PgBouncer 1.21.0\n"));
        assert!(tracks_statements("PgBouncer 2.0\n"));
    }
}
