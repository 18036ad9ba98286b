//! The log: one JSON object a line, on standard output.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// Reads what is to be logged, in the grammar of `RUST_LOG`.
///
/// # Errors
/// [`ParseError`] for another grammar.
pub(crate) fn read(filter: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::builder().parse(filter)
}

/// Installs the log of the process; `filter` is in the grammar of `RUST_LOG`.
///
/// # Errors
/// [`ParseError`] for another grammar.
pub(crate) fn install(filter: &str) -> Result<(), ParseError> {
    let filter = read(filter)?;
    // Only a second call in one process fails; then the first one's log is the log.
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        // The list of spans ends with the current one.
        .with_current_span(false)
        .with_env_filter(filter)
        .try_init();
    Ok(())
}
