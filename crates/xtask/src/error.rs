//! Why a command of the repository ended early.

use std::io;

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

    #[error("{what} did not install the servers ({status}): its own words stand above")]
    Install { what: String, status: String },

    #[error("cannot run {what}: {source}")]
    Run { what: String, source: io::Error },

    #[error("{step} failed ({status}): what went wrong stands above")]
    Step { step: String, status: String },

    #[error("`cargo {tool}` is not installed: run `rustup component add {component}`")]
    Component {
        tool: &'static str,
        component: &'static str,
    },
}
