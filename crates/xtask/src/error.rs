//! Why a command of the repository ended early.

use std::io;
use std::path::PathBuf;

/// What went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Servers(#[from] testbed::Error),

    #[error("{servers}\nnothing was installed: {why}")]
    CannotInstall {
        servers: testbed::NotFound,
        why: String,
    },

    #[error("{what} did not install what was missing ({status}): its own words stand above")]
    Install { what: String, status: String },

    #[error("{why}")]
    Psycopg { why: String },

    #[error(
        "no chromium and chromedriver for the tests of the page: {why}; on Debian run `apt-get install chromium \
         chromium-driver` as root"
    )]
    Browser { why: String },

    #[error("cannot run {what}: {source}")]
    Run { what: String, source: io::Error },

    #[error("{step} failed ({status}): what went wrong stands above")]
    Step { step: String, status: String },

    #[error("`cargo {tool}` is not installed: run `rustup component add {component}`")]
    Component {
        tool: &'static str,
        component: &'static str,
    },

    #[error("cannot keep servers in {}: {source}; `--folder` names another place", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },

    #[error(
        "the tests failed with {failed}: the table and the logs that are named above say which"
    )]
    Matrix { failed: String },

    #[error("--strict: not tested with {not_tested}: the lines above say why")]
    NotTested { not_tested: String },
}
