//! The command line.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use crate::causes::Causes;
use crate::grant::{Payment, grant};
use crate::{Config, run, schema};

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
    /// Put the tables in place and end: what serve does as well, unless it is told --no-install
    Migrate {
        /// Where the Postgres of guard, ledger and answers is. It may hold a password: prefer the variable
        #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
        database_url: String,
    },
    /// Give credits to a user who has paid for them; sent again with the same payment, it gives nothing more
    Grant(Payment),
}

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
            Verb::Migrate { database_url } => migrate(&database_url).await,
            Verb::Grant(payment) => grant(payment).await,
        }
    });
    runtime.shutdown_background();
    done.unwrap_or_else(|error| fail(&error))
}

async fn migrate(url: &str) -> anyhow::Result<ExitCode> {
    schema::put_in_place(url).await?;
    println!("the tables are in place");
    Ok(ExitCode::SUCCESS)
}

fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("dataset-service: {}", Causes(error.as_ref()));
    ExitCode::FAILURE
}
