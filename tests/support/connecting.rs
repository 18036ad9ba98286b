//! How these tests connect.

use sqlx::postgres::PgConnectOptions;

use crate::started::DONE_WITHIN;

/// Connects with a bound on every statement, so that a call that waits in vain fails, and says so,
/// rather than hanging its test.
pub(crate) fn options(url: &str) -> PgConnectOptions {
    let options: PgConnectOptions = url.parse().unwrap();
    let bound_ms = DONE_WITHIN.as_millis().to_string();
    options.options([("statement_timeout", bound_ms)])
}
