//! The service as processes, on a real Redis and a real Postgres. A name that starts with `c36_` covers case 36 of the
//! list of sequences that went wrong elsewhere.
//!
//! Orders are forced by proxies that hold requests and replies between the service and Postgres; nothing here sleeps to
//! order events. Where a lease is to run out, the time has to pass.

mod stage;

mod crashes;
mod credits;
mod health;
mod held;
mod in_flight;
mod install;
mod keys;
mod late;
mod limits;
mod log;
mod options;
mod pooler;
mod redis_down;
mod shutdown;
mod silence;

// The load's own: what starts an instance, and what asks it.
#[path = "../../examples/load/call.rs"]
mod call;
#[path = "../../examples/load/instance.rs"]
mod instance;
