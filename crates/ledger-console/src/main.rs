//! The binary `ledger`; what it does is in the library.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use ledger_console::cli::Cli;

/// Could not ask. (1 is a finding, 2 is clap's own code for bad usage.)
const COULD_NOT_ASK: u8 = 3;
/// How long what still runs may take to end.
const END_WITHIN: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()),
    };
    let ended = runtime.block_on(ledger_console::run(cli, &mut std::io::stdout()));
    runtime.shutdown_timeout(END_WITHIN);
    match ended {
        Ok(ended) => ended.into(),
        // Whoever reads our output has seen enough.
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &ledger_console::Error) -> ExitCode {
    // Standard error may be closed, too.
    let _ = writeln!(std::io::stderr(), "ledger: {error}");
    ExitCode::from(COULD_NOT_ASK)
}
