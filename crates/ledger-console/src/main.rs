//! The binary `ledger`; what it does is in the library.

use clap::Parser;
use ledger_console::cli::Cli;

fn main() {
    Cli::parse();
}
