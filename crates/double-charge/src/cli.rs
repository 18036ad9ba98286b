//! The command line.

use clap::{Parser, Subcommand};

use crate::cell::{Incident, Protection};

/// Lets real processes charge a customer twice, then shows the guard stopping it.
///
/// Without a command it plays the whole table: five protections in four incidents, each with worker
/// processes that are frozen (SIGSTOP) past their lease, on a real Redis and a real Postgres.
///
/// Servers: REDIS_URL and DATABASE_URL if set, else a private pair from installed programs, else Docker
/// Compose.
#[derive(Debug, Parser)]
#[command(name = "double-charge", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    /// Print one JSON document, and nothing else, on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Play one cell and print its timeline, a column for each holder.
    Show {
        /// What goes wrong.
        incident: Incident,
        /// What should keep it from charging twice.
        protection: Protection,
    },
    /// List the refused writes that the kept data holds, of this and earlier runs.
    Refusals,
    /// Keep the servers up, say how to reach them, until Ctrl-C.
    Servers,
    /// Be a worker; the conductor speaks to it by pipes.
    #[command(hide = true)]
    Worker,
}

const EXAMPLES: &str = "\
Examples:
  double-charge                              the staircase
  double-charge show window fence-on-write   the gap that a write-only fence leaves, step by step
  double-charge show window fence-opened     the same, stopped
  double-charge --json | jq '.cells[] | select(.charged > .due)'

Exit status: 0 when everything came out as documented, 1 when a cell did not, 2 on bad usage or when
there are no servers.";
