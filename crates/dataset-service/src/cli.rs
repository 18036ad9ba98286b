//! The command line.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use crate::grant::{Payment, grant};
use crate::{Config, run};

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
            Verb::Grant(payment) => grant(payment).await,
        }
    });
    runtime.shutdown_background();
    done.unwrap_or_else(|error| fail(&error))
}

fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("dataset-service: {error:#}");
    ExitCode::FAILURE
}
