//! What can go wrong on the way to running servers.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::find::NotFound;

/// Why there are no servers to run with.
///
/// No text of it holds a password: URLs are shown without password and parameters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither URLs, nor installed binaries, nor Docker Compose.
    #[error(transparent)]
    NotFound(#[from] NotFound),

    /// `REDIS_SERVER`, `PG_BIN` or `PGBOUNCER` was set, and does not lead to a server.
    #[error("{variable} is set to {}, where there is no {wanted}: correct or unset it", .path.display())]
    WrongVariable {
        /// The environment variable.
        variable: &'static str,
        /// What it was set to.
        path: PathBuf,
        /// What was looked for there.
        wanted: &'static str,
    },

    /// Postgres refuses to run as root, and there is no account to drop to.
    #[error(
        "postgres does not run as root, and there is no account `postgres` or `nobody` to drop to: run as another user"
    )]
    NoAccount,

    /// No folder can hold the data of the servers.
    #[error(
        "no folder for the servers' data ({tried}): set TMPDIR to one that every user can enter"
    )]
    NoFolder {
        /// Each folder that was tried, and what was wrong with it.
        tried: String,
    },

    /// No free TCP port was found on the loopback address.
    #[error("no free port between 15000 and 32000 on 127.0.0.1: stop what listens there")]
    NoPort,

    /// A server ended, or did not become ready, while it was being started.
    #[error("{server} did not start: {why}; the end of its log:\n{log}")]
    NotStarted {
        /// Which server.
        server: ServerName,
        /// Whether it ended, or took too long.
        why: String,
        /// The last lines that it wrote.
        log: String,
    },

    /// A server went on running although it was told to stop, and then killed.
    #[error("{server} (process {pid}) cannot be stopped: look at its state with `ps`")]
    NotStopped {
        /// Which server.
        server: ServerName,
        /// Its process.
        pid: u32,
    },

    /// A running Redis answered a command with an error.
    #[error("the redis on 127.0.0.1:{port} refuses `{command}`: {answer}")]
    Refused {
        /// Its port.
        port: u16,
        /// The first two words of the command.
        command: String,
        /// What it answered.
        answer: String,
    },

    /// Servers that work together did not come into the state that was waited for.
    #[error("{what} did not happen within {seconds} s; last seen: {seen}")]
    NotReached {
        /// What was waited for.
        what: String,
        /// For how long.
        seconds: u64,
        /// What was there instead.
        seen: String,
    },

    /// The installed Redis was built without TLS.
    #[cfg(feature = "tls")]
    #[error("{} was built without TLS: set REDIS_SERVER to one that was built with it", .program.display())]
    NoTls {
        /// The program.
        program: PathBuf,
    },

    /// No certificates could be made.
    #[cfg(feature = "tls")]
    #[error("cannot make certificates: {0}")]
    Certificates(#[from] rcgen::Error),

    /// A tool (`initdb`, `cp`, `docker compose`) failed.
    #[error("{tool} failed ({status}): {output}")]
    Tool {
        /// The command, as one would type it.
        tool: String,
        /// How it ended.
        status: String,
        /// What it wrote to its standard error.
        output: String,
    },

    /// The operating system refused something.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// What the system said.
        source: io::Error,
    },

    /// A running server did not answer as hoped.
    #[cfg(feature = "client")]
    #[error("{url} does not answer: {source}")]
    Redis {
        /// The server's URL, redacted.
        url: String,
        /// What the client said.
        source: redis::RedisError,
    },

    /// A running server did not answer as hoped.
    #[cfg(feature = "client")]
    #[error("{url} does not answer: {source}")]
    Postgres {
        /// The server's URL, redacted.
        url: String,
        /// What the client said.
        source: sqlx::Error,
    },
}

/// One of the servers, as a word for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerName {
    /// Redis, or Valkey.
    Redis,
    /// Postgres.
    Postgres,
    /// PgBouncer; only tests of poolers need it.
    PgBouncer,
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ServerName::Redis => "redis",
            ServerName::Postgres => "postgres",
            ServerName::PgBouncer => "pgbouncer",
        })
    }
}

/// Names the deed that an I/O error spoiled.
pub(crate) trait Doing<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|source| Error::Io {
            doing: what(),
            source,
        })
    }
}
