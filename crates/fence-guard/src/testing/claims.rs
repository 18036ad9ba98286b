//! What a service says of itself, so that the kit knows how to reach it and what to hold it to.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

/// What a service claims: where it lives, where its effects are kept, and what it can do beside writing.
///
/// What is not claimed is not tried, and the report says so.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Claims {
    /// How the service connects: its own role, straight to Postgres. The kit sets `application_name`.
    pub service: PgConnectOptions,
    /// How the kit connects: a role that owns the tables of the service and of the guard, and may create a schema.
    pub operator: PgConnectOptions,
    /// The tables that keep the effects, with their schemas. The kit puts triggers on them while it runs, at
    /// which it holds writes up.
    pub effects: Vec<String>,
    /// The table that keeps the openings: `fence.opening`, unless the guard is not ours.
    pub openings: String,
    /// Whether a write that is sent again with its request id is answered with its first outcome.
    pub request_ids: bool,
    /// Whether a holder that leaves ends its opening.
    pub closes: bool,
    /// Whether the service reads under an opening ([`Subject::read`](super::Subject::read)).
    pub guarded_reads: bool,
    /// The table that `fence.protect` was called for, if any.
    pub protected: Option<Protected>,
    /// A successor enters within this time, also behind a holder that stands still in its transaction: the
    /// service's own `valid_for` (at least one second), and some time to open. Default: ten seconds.
    pub bound: Duration,
    /// Whatever nothing holds up is done within this time, also on a busy machine: a process starts, prepares, enters,
    /// writes. Default: thirty seconds.
    pub patience: Duration,
}

/// A table that nobody writes to without having been admitted, whatever the statement comes from.
#[derive(Debug, Clone)]
pub struct Protected {
    /// The table, with its schema.
    pub table: String,
    /// Its column that names a row's resource.
    pub column: String,
    /// A statement that writes one effect on the resource `$1`, as a hand at the keyboard would.
    pub insert: &'static str,
}

impl Claims {
    /// A service that connects so, and keeps its effects in this table. It closes what it opened, and claims
    /// nothing else.
    pub fn new(service: PgConnectOptions, operator: PgConnectOptions, effects: &str) -> Claims {
        Claims {
            service,
            operator,
            effects: vec![effects.to_owned()],
            openings: "fence.opening".to_owned(),
            request_ids: false,
            closes: true,
            guarded_reads: false,
            protected: None,
            bound: Duration::from_secs(10),
            patience: Duration::from_secs(30),
        }
    }
}
