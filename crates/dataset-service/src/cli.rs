//! The command line.

use std::process::ExitCode;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use credit_ledger::{Credits, Grant, Ledger, Purpose, RequestId};
use fence_guard::Guard;
use uuid::Uuid;

use crate::{Config, Id, id, run};

/// Sells slow queries over datasets for prepaid credits, and charges once for each answer.
#[derive(Debug, Parser)]
#[command(name = "dataset-service", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serve customers until SIGTERM
    Serve(Box<Config>),
    /// Give credits to a user who has paid for them; sent again with the same payment, it gives nothing more
    Grant {
        /// Where the Postgres of the ledger is. It may hold a password: prefer the variable
        #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
        database_url: String,
        /// Who has paid
        user: Id,
        /// How many credits
        #[arg(value_parser = clap::value_parser!(i64).range(1..))]
        credits: i64,
        /// What tells this payment from every other: the number of an invoice, say
        #[arg(long)]
        payment: String,
    },
}

/// Payments' request ids are made below it.
const PAYMENTS: Uuid = Uuid::from_u128(0x1b52_77c4_0f0e_4c43_9a53_6a1c_2f1d_90d7);

/// The whole program: reads the command line, does what it says.
///
/// Exit status: 0 when all went well; 1 when sections were left behind, or nothing could be done; 2 on bad usage;
/// 143 when told to stop twice.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Verb::Serve(config) = &cli.verb
        && let Err(error) = config.check()
    {
        Cli::command()
            .error(ErrorKind::ArgumentConflict, error)
            .exit();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error.into()),
    };
    let done = runtime.block_on(async {
        match cli.verb {
            Verb::Serve(config) => run(*config).await,
            Verb::Grant {
                database_url,
                user,
                credits,
                payment,
            } => grant(&database_url, &user, credits, &payment).await,
        }
    });
    runtime.shutdown_background();
    done.unwrap_or_else(|error| fail(&error))
}

async fn grant(url: &str, user: &Id, credits: i64, payment: &str) -> anyhow::Result<ExitCode> {
    let guard = Guard::connect(url)
        .await
        .context("Postgres (DATABASE_URL)")?;
    let ledger = Ledger::on(&guard);
    let account = id::account(user)?;
    ledger.open_account(&account).await?;
    let grant = Grant {
        request: RequestId::from_idempotency_key(PAYMENTS, payment),
        account,
        amount: Credits::new(credits)?,
        purpose: Purpose::new(format!("payment {payment}"))?,
    };
    let applied = ledger.grant(&grant).await.context("nothing was granted")?;
    let again = if applied.replayed {
        " (granted before)"
    } else {
        ""
    };
    println!(
        "user {user}: {credits} credits granted{again}, balance {}",
        applied.balance_after
    );
    Ok(ExitCode::SUCCESS)
}

fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("dataset-service: {error:#}");
    ExitCode::FAILURE
}
