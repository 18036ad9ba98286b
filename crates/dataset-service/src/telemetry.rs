//! The log: one JSON object a line, on standard output.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// Installs the log of the process; `filter` is in the grammar of `RUST_LOG`.
///
/// # Errors
/// [`ParseError`] for another grammar.
pub(crate) fn install(filter: &str) -> Result<(), ParseError> {
    let filter: EnvFilter = EnvFilter::builder().parse(filter)?;
    // Only a second call in one process fails; then the first one's log is the log.
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(filter)
        .try_init();
    Ok(())
}
