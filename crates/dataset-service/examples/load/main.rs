//! Sixty-four clients of sixteen customers, two instances that are frozen past their leases, killed, some while they are
//! frozen, and started again, and the count at the end: as many captures as answers.
//!
//! `cargo run -p dataset-service --example load`, with `-- --seconds 60` for more. Servers of its own; everything ends
//! with it. It starts itself as the service: `load serve` is the very program of the binary. Exit status 1 where the
//! count does not come out, or where nothing happened that could have upset it.

mod call;
mod clients;
mod fleet;
mod instance;
mod report;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use credit_ledger::{Account, Credits, Grant, Ledger, Purpose, RequestId};
use fence_guard::Guard;
use testbed::{Options, Pair};

use clients::Clients;
use fleet::Fleet;
use report::Report;

/// What each customer starts with, in credits: more than can be spent.
const BALANCE: i64 = 1_000_000;
/// Short, so that much happens: a lease of one second, and queries of a tenth of one.
const OPTIONS: [(&str, &str); 6] = [
    ("TTL_MS", "1000"),
    ("QUERY_LIMIT_MS", "900"),
    ("HOLD_MS", "60000"),
    ("QUERY_TAKES_MS", "100"),
    ("DRAIN_MS", "5000"),
    ("RUST_LOG", "warn,dataset_service::run=info"),
];

/// Counts captures against answers while instances are frozen and killed.
#[derive(Debug, Parser)]
struct Cli {
    /// For how long clients ask something new
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// How many ask at once
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=512))]
    clients: u16,
    /// The service's program, if it is not to be this one
    #[arg(long)]
    program: Option<PathBuf>,
}

fn main() -> ExitCode {
    if std::env::args_os().nth(1).as_deref() == Some(OsStr::new("serve")) {
        return dataset_service::main();
    }
    let cli = Cli::parse();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    match runtime.block_on(play(&cli)) {
        Ok(report) => {
            print!("{report}");
            let failures = report.failures();
            failures
                .iter()
                .for_each(|failure| println!("FAILED: {failure}"));
            if failures.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("load: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn play(cli: &Cli) -> anyhow::Result<Report> {
    let program = match &cli.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().context("where is this program?")?,
    };
    let pair =
        tokio::task::spawn_blocking(|| Pair::start_private(&Options::throw_away())).await??;
    let urls = [
        ("DATABASE_URL", pair.database_url()),
        ("REDIS_URL", pair.redis_url()),
    ];
    let options = urls.iter().chain(&OPTIONS);
    let options = options
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut fleet = Fleet::start(program, options).await?;
    let guard = Guard::connect(pair.database_url()).await?;
    let ledger = Ledger::on(&guard);
    let users = clients::users(cli.clients);
    for user in &users {
        open_account(&ledger, user).await?;
    }

    let time = Duration::from_secs(cli.seconds);
    let clients = Clients::start(cli.clients, &fleet, time);
    let chaos = fleet.upset_for(time).await;
    // The clients first: what went wrong with an instance shows in what they were told.
    let heard = clients.ended().await?;
    chaos?;
    let happened = fleet.stop().await?;
    Report::read(&guard, &ledger, &users, BALANCE, heard, happened).await
}

/// The account of a user, as the service names it.
fn account(user: &str) -> anyhow::Result<Account> {
    Ok(Account::new(format!("user:{user}"))?)
}

async fn open_account(ledger: &Ledger, user: &str) -> anyhow::Result<()> {
    let account = account(user)?;
    ledger.open_account(&account).await?;
    let grant = Grant {
        request: RequestId::random(),
        account,
        amount: Credits::new(BALANCE)?,
        purpose: Purpose::new("first payment")?,
    };
    ledger.grant(&grant).await?;
    Ok(())
}
