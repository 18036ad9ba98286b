//! `cargo xtask matrix`: the tests that depend on a server's version, against each version that can
//! be had.

mod ask;
mod folder;
mod obtain;
mod outcome;
mod server;
mod suite;

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use clap::builder::PossibleValuesParser;

use self::folder::Folder;
use self::outcome::{Outcome, Row, aligned, table, verdict};
use self::server::{Family, Server};
use crate::error::Error;
use crate::provision::{provision, provision_pooler};
use crate::psycopg::provision_psycopg;
use crate::step::step;

/// What the command line says.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Families (`redis` includes Valkey, `postgres`) or single servers, as --list names them; all
    /// of them without a word.
    #[arg(value_parser = PossibleValuesParser::new(Server::words()), hide_possible_values = true)]
    servers: Vec<String>,
    /// Fail also when a server cannot be had.
    #[arg(long)]
    strict: bool,
    /// Print the servers and where each comes from; download and run nothing.
    #[arg(long)]
    list: bool,
    /// Where servers and logs are kept, instead of `target/matrix`.
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Tests with each chosen server, and prints the table.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let servers = Server::chosen(&options.servers);
    if options.list {
        print!("{}", list(&servers));
        return Ok(());
    }
    let folder = Folder::open(options.folder.as_deref())?;
    prepare(&servers)?;
    let rows: io::Result<Vec<Row>> = servers
        .into_iter()
        .map(|server| test(server, &folder))
        .collect();
    let rows = rows.map_err(|source| Error::Run {
        what: "a step of the matrix".to_owned(),
        source,
    })?;
    print!("\n{}", table(&rows));
    verdict(&rows, options.strict)
}

fn list(servers: &[&Server]) -> String {
    let rows = servers.iter().map(|server| {
        let suites = server.family.suites().join(", ");
        [server.name.to_owned(), obtain::origin(server), suites]
    });
    let head = ["server", "comes from", "suites"].map(str::to_owned);
    aligned(std::iter::once(head).chain(rows))
}

/// Makes sure of the servers that stand beside the one that varies, and builds everything: what does
/// not compile is no server's fault.
fn prepare(servers: &[&Server]) -> Result<(), Error> {
    provision()?;
    step("build", ask::build())?;
    for family in [Family::Redis, Family::Postgres] {
        if servers.iter().any(|server| server.family == family) {
            step("build", suite::build(family))?;
        }
    }
    if servers
        .iter()
        .any(|server| server.family == Family::Postgres)
    {
        // Its suites send calls through a pooler, and from Python.
        provision_pooler()?;
        provision_psycopg()?;
    }
    Ok(())
}

/// Tests with one server. A program that is not to be had, or does not run on this machine, is no
/// failure; one that runs and then does not come up as a server is.
fn test(server: &'static Server, folder: &Folder) -> io::Result<Row> {
    let start = Instant::now();
    eprintln!();
    let (answers, outcome) = match obtain::obtain(server, folder) {
        Err(why) => {
            let why = why.to_string();
            (None, Outcome::NotTested { why })
        }
        Ok(programs) => match ask::ask(server, programs.as_deref(), folder)? {
            Err(outcome) => (None, outcome),
            Ok(answers) => {
                let outcome = suite::run(server, programs.as_deref(), folder)?;
                (Some(answers), outcome)
            }
        },
    };
    for line in outcome.complaints(server) {
        eprintln!("── {line}");
    }
    Ok(Row {
        server,
        answers,
        outcome,
        seconds: start.elapsed().as_secs_f64(),
    })
}
