//! From a question to its answer.

use std::io::Write;
use std::process::ExitCode;

use crate::cli::{Cli, Verb};
use crate::error::Error;
use crate::servers::Servers;
use crate::{audit, doctor, lists, serve, stats, watch, whole};

/// How a question ended, if it was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was answered.
    Fine,
    /// `audit` or `doctor` has found something.
    Finding,
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> ExitCode {
        ExitCode::from(match ended {
            Ended::Fine => 0,
            Ended::Finding => 1,
        })
    }
}

/// Finds the database, asks it, and writes the answer to `to`. What is not the answer goes to standard error.
///
/// # Errors
/// [`Error`], which says what to do next; [`Error::is_closed_pipe`] when nobody reads on.
pub async fn run(cli: Cli, to: &mut (dyn Write + Send)) -> Result<Ended, Error> {
    let servers = Servers::find().await?;
    for notice in &servers.notices {
        say(notice);
    }
    let database = &servers.database;
    match cli.verb {
        Verb::Refusals(args) => lists::refusals(database, &args, to).await?,
        Verb::Entries(args) => lists::entries(database, &args, to).await?,
        Verb::Openings(args) => lists::openings(database, &args, to).await?,
        Verb::Holds(args) => lists::holds(database, &args, to).await?,
        Verb::Resource(args) => whole::resource(database, &args, to).await?,
        Verb::Account(args) => whole::account(database, &args, to).await?,
        Verb::Stats(args) => stats::stats(database, &args, to).await?,
        Verb::Watch(args) => watch::watch(database, &args, to).await?,
        Verb::Serve(args) => serve::serve(database, &args, to).await?,
        Verb::Audit(args) => return audit::audit(database, &args, to).await,
        Verb::Doctor(args) => return doctor::doctor(&servers, &args, to).await,
    }
    Ok(Ended::Fine)
}

/// Says something to people that is not the answer.
pub(crate) fn say(what: &str) {
    // Standard error may be closed, and there is nobody left to tell.
    let _ = writeln!(
        std::io::stderr(),
        "ledger: {}",
        crate::output::visible(what)
    );
}
