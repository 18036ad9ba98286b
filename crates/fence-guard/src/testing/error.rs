//! Why a service was not found to conform.

use std::time::Duration;

use super::report::Report;

/// The kit could not play: nothing is said of the service.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KitError {
    /// The operator's connection failed, or Postgres said no to it.
    #[error(
        "the kit could not work on the operator's connection, give it a role that owns the tables \
         and may create a schema: {0}"
    )]
    Operator(#[from] sqlx::Error),
    /// The service could not connect.
    #[error("the service could not connect, see Claims::service: {0}")]
    Service(#[source] sqlx::Error),
    /// The service did not come to an end with its start.
    #[error("the service did not start within {within:?}; mend it, or raise Claims::patience")]
    NotStarted {
        /// The bound.
        within: Duration,
    },
}

/// A service that breaks a rule, or that the kit could not try. The text is the report.
#[derive(Debug, thiserror::Error)]
#[error("the service does not conform\n{0}")]
pub struct NotConforming(pub Report);
