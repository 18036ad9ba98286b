//! The command line.

use clap::Parser;

/// Shows which late writes were refused, whose, against whom, and whether anybody was charged twice.
#[derive(Debug, Parser)]
#[command(name = "ledger", version)]
pub struct Cli {}
