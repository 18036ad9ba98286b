//! Why there was no answer.

use std::io;

use fence_guard::StoreError;

/// Why there was no answer. Each says what to do next; none shows a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No server is named, installed or in a container.
    #[error("no Postgres to ask: {0}")]
    NoServer(#[from] testbed::Error),
    /// No run has left its data here.
    #[error(
        "no run has kept its rows here yet: run `cargo demo` first, or set DATABASE_URL to the database to ask"
    )]
    NothingKept,
    /// Another process runs on the kept data.
    #[error(
        "another run uses the kept rows: ask again when it has ended, or set DATABASE_URL to its database, which `cargo \
         demo servers` prints"
    )]
    KeptInUse,
    /// The URL is none, or nobody answers there.
    #[error(
        "no answer from Postgres at {address}: {source}; is DATABASE_URL right, and the server up"
    )]
    Unreachable {
        /// Where, without a password.
        address: String,
        /// What came instead of an answer.
        source: sqlx::Error,
    },
    /// The database has no such schema.
    #[error(
        "the database at {address} has no schema {schema}: is DATABASE_URL the right one? fence_guard::install puts it \
         in place"
    )]
    NotInstalled {
        /// Where, without a password.
        address: String,
        /// `fence` or `credit`.
        schema: &'static str,
    },
    /// The role may not ask that.
    #[error(
        "role {role} may not ask that: as the owner of the schemas run select fence.grant_reader('{role}')"
    )]
    Denied {
        /// Who asked.
        role: String,
    },
    /// The schemas are of another version.
    #[error(
        "the installed schemas do not know this question: {0}; install this version's, or use theirs"
    )]
    OtherVersion(String),
    /// There is no such account.
    #[error("there is no account {0:?}; ledger entries lists accounts that were written to")]
    NoAccount(String),
    /// Postgres was lost in the middle.
    #[error("Postgres went away in the middle of its answer: {0}; ask again")]
    Lost(sqlx::Error),
    /// Postgres answered otherwise.
    #[error(transparent)]
    Store(StoreError),
    /// The page would be readable for other machines.
    #[error(
        "{0} can be reached from other machines, and the page asks nobody for a password: listen on 127.0.0.1, or say \
         --beyond-loopback"
    )]
    BeyondLoopback(std::net::SocketAddr),
    /// Nothing can listen there.
    #[error("cannot listen on {at}: {source}; --listen names another place")]
    Listen {
        /// Where.
        at: std::net::SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The answer could not be written.
    #[error("the answer could not be written: {0}")]
    Output(#[from] io::Error),
}

/// Permission denied.
const DENIED: &str = "42501";
/// No such function, column, table or schema.
const UNKNOWN: [&str; 4] = ["42883", "42703", "42P01", "3F000"];

impl Error {
    /// What an answer means that was none.
    pub(crate) fn of_store(error: StoreError, role: &str) -> Error {
        let failed = match error {
            StoreError::Unknown(lost) => return Error::Lost(lost),
            StoreError::Failed(failed) => failed,
            other => return Error::Store(other),
        };
        let answer = failed.as_database_error();
        let sqlstate = answer.and_then(|answer| answer.code());
        match (sqlstate.as_deref(), answer) {
            (Some(DENIED), _) => Error::Denied {
                role: role.to_owned(),
            },
            (Some(code), Some(answer)) if UNKNOWN.contains(&code) => {
                Error::OtherVersion(answer.message().to_owned())
            }
            // Shutting down, starting up, full, unreachable: it may answer a moment later.
            (Some(code), _)
                if ["57P", "08", "53"]
                    .iter()
                    .any(|class| code.starts_with(class)) =>
            {
                Error::Lost(failed)
            }
            (Some(_), _) => Error::Store(StoreError::Failed(failed)),
            (None, _) => Error::Lost(failed),
        }
    }

    /// Whether nobody reads the answer any more: no fault of anybody's.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
