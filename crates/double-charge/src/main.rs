#![doc = include_str!("../README.md")]

mod actor;
mod cell;
mod cli;
mod incidents;
mod log;
mod patience;
mod played;
mod report;
mod run;
mod schema;
mod stage;
mod wire;
mod worker;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use cli::{Cli, Verb};

/// Everything went as documented.
const AS_DOCUMENTED: u8 = 0;
/// A cell came out otherwise than documented.
const NOT_AS_DOCUMENTED: u8 = 1;
/// Bad usage (clap's own code, too), no servers, or no place for the report.
const NOT_RUN: u8 = 2;
/// 128 + SIGINT, as shells count it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Some(why) = cli.contradiction() {
        Cli::command()
            .error(ErrorKind::ArgumentConflict, why)
            .exit();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error.into()),
    };
    let code = runtime.block_on(async {
        tokio::select! {
            done = perform(cli) => done.unwrap_or_else(|error| fail(&error)),
            // Dropping the rest kills the workers, also the frozen ones, and stops the servers.
            _ = tokio::signal::ctrl_c() => ExitCode::from(INTERRUPTED),
        }
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    code
}

async fn perform(cli: Cli) -> anyhow::Result<ExitCode> {
    let wanted = run::Wanted {
        json: cli.json,
        html: cli.html,
    };
    let all_well = match cli.verb {
        Some(Verb::Worker) => {
            // What went wrong is told to the conductor, which says it once.
            let ended = worker::run().await;
            return Ok(if ended.is_ok() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
        }
        None => run::table(&wanted).await?,
        Some(Verb::Show {
            incident,
            protection,
        }) => {
            run::show(
                cell::Cell {
                    protection,
                    incident,
                },
                &wanted,
            )
            .await?
        }
        Some(Verb::Refusals) => run::refusals(cli.json).await?,
        Some(Verb::Servers) => run::servers().await?,
    };
    Ok(ExitCode::from(if all_well {
        AS_DOCUMENTED
    } else {
        NOT_AS_DOCUMENTED
    }))
}

fn fail(error: &anyhow::Error) -> ExitCode {
    let io = error.downcast_ref::<std::io::Error>();
    if io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe) {
        // Whoever reads our output has seen enough.
        return ExitCode::SUCCESS;
    }
    anstream::eprintln!("double-charge: {error:#}");
    ExitCode::from(NOT_RUN)
}
