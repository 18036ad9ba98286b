#![doc = include_str!("../README.md")]
#![doc = include_str!("../LIFTING.md")]

mod answered;
mod ask;
mod asked;
mod causes;
mod charge;
mod cli;
mod config;
mod crowd;
mod deadline;
mod figures;
mod grant;
mod id;
mod key;
mod ledger_errors;
mod no_credit;
mod observe;
mod ops;
mod problem;
mod query;
mod routes;
mod run;
mod schema;
mod serve;
mod service;
mod telemetry;
mod usual;

pub use cli::main;
pub use config::{Config, Mismatched, RedisDown};
pub use id::{Id, InvalidId};
pub use key::{IDEMPOTENCY_KEY, KeyError};
pub use problem::Problem;
pub use query::{Findings, InvalidQuery, Query};
pub use run::run;
pub use service::{Phase, Service};
