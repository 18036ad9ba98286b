//! The command line.

mod help;
mod moment;
mod options;

use clap::{Args, Parser, Subcommand};
use credit_ledger::{Account, HoldState};
use fence_guard::Resource;

pub use moment::{Moment, NoMoment, NoSpan, span};
pub use options::{Format, Listing, RefusedFor, WholeFormat, Whose};

/// Which late writes were refused, whose, against whom, how often; and was anybody charged twice? Read-only.
#[derive(Debug, Parser)]
#[command(name = "ledger", version, after_help = help::EVERYWHERE)]
pub struct Cli {
    /// What is asked.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What is asked.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Refused writes, the newest first
    #[command(after_help = help::REFUSALS)]
    Refusals(Refusals),
    /// Entries of the ledger, the newest first
    #[command(after_help = help::ENTRIES)]
    Entries(Entries),
    /// Openings with how each ended, the newest first
    #[command(after_help = help::OPENINGS)]
    Openings(Openings),
    /// Holds as they stand, the newest first
    #[command(after_help = help::HOLDS)]
    Holds(Holds),
    /// One resource: its mark, its openings, what was refused and what was written
    Resource(OneResource),
    /// One account: how it stands, its holds, its newest entries, what was refused
    Account(OneAccount),
    /// How often sections outlived their lease, and what came of it
    #[command(after_help = help::STATS)]
    Stats(Stats),
    /// Holds the rows against the rules; exit status 1 where they break one
    #[command(after_help = help::AUDIT)]
    Audit(Audit),
    /// Looks at both servers, says what each thing means; exit status 1 on a finding
    #[command(after_help = help::DOCTOR)]
    Doctor(Doctor),
    /// Shows openings, takeovers and refusals as they happen, until Ctrl-C
    #[command(after_help = help::WATCH)]
    Watch(Watch),
    /// Shows it as a page in a browser, until Ctrl-C
    #[command(after_help = help::SERVE)]
    Serve(Serve),
}

/// `ledger refusals`.
#[derive(Debug, Args)]
pub struct Refusals {
    /// Whose.
    #[command(flatten)]
    pub whose: Whose,
    /// Refused for this reason
    #[arg(long)]
    pub reason: Option<RefusedFor>,
    /// How many, since when, in which format.
    #[command(flatten)]
    pub listing: Listing,
}

/// `ledger entries`.
#[derive(Debug, Args)]
pub struct Entries {
    /// Of this account
    #[arg(long, value_name = "ID")]
    pub account: Option<Account>,
    /// Whose.
    #[command(flatten)]
    pub whose: Whose,
    /// How many, since when, in which format.
    #[command(flatten)]
    pub listing: Listing,
}

/// `ledger openings`.
#[derive(Debug, Args)]
pub struct Openings {
    /// Whose.
    #[command(flatten)]
    pub whose: Whose,
    /// How many, since when, in which format.
    #[command(flatten)]
    pub listing: Listing,
}

/// `ledger holds`.
#[derive(Debug, Args)]
pub struct Holds {
    /// Of this account
    #[arg(long, value_name = "ID")]
    pub account: Option<Account>,
    /// Those that stand so: open, captured, released, expired, void
    #[arg(long)]
    pub state: Option<HoldState>,
    /// Whose.
    #[command(flatten)]
    pub whose: Whose,
    /// How many, since when, in which format.
    #[command(flatten)]
    pub listing: Listing,
}

/// `ledger resource`.
#[derive(Debug, Args)]
pub struct OneResource {
    /// Which one
    pub name: Resource,
    /// At most so many of its openings, refusals and entries
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: WholeFormat,
}

/// `ledger account`.
#[derive(Debug, Args)]
pub struct OneAccount {
    /// Which one
    pub id: Account,
    /// At most so many of its holds, entries and refused writes
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: WholeFormat,
}

/// `ledger stats`.
#[derive(Debug, Args)]
pub struct Stats {
    /// From this moment on: RFC 3339, or a span before now
    #[arg(long, value_name = "WHEN", default_value = "7d", value_parser = Moment::read)]
    pub since: Moment,
    /// A row for each prefix of so many parts: 1 puts user:7:… and user:8:… together as `user:`; 0 everything
    #[arg(long, value_name = "PARTS", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=16))]
    pub by: u8,
    /// A row for each stretch of this length, such as 1h or 1d; otherwise one for the whole time
    #[arg(long, value_name = "SPAN", value_parser = span)]
    pub every: Option<std::time::Duration>,
    /// At most so many rows
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `ledger audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `ledger doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Let errors alone count for the exit status, and warnings not
    #[arg(long)]
    pub errors_only: bool,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `ledger watch`.
#[derive(Debug, Args)]
pub struct Watch {
    /// Whose.
    #[command(flatten)]
    pub whose: Whose,
    /// Of refusals only those for this reason
    #[arg(long)]
    pub reason: Option<RefusedFor>,
    /// Begin with what has happened since then, instead of now
    #[arg(long, value_name = "WHEN", value_parser = Moment::read)]
    pub since: Option<Moment>,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `ledger serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7707")]
    pub listen: std::net::SocketAddr,
    /// Listen also where other machines can reach it: whoever does reads all names and amounts
    #[arg(long)]
    pub beyond_loopback: bool,
    /// A further name under which browsers may ask for it
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
}
