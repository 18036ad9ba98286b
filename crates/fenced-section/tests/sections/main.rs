//! Sections on a real Redis and a real Postgres. A name that starts with `c22_` covers case 22 of the
//! list of sequences that went wrong elsewhere.
//!
//! Replies are lost by a proxy that swallows them, and orders are forced by transactions that a test
//! holds; nothing here sleeps to order events. Where a lease is to outlive its TTL, the time has to pass.

mod support;

mod enter;
mod enter_all;
mod enter_all_fails;
mod figures;
mod from_guard;
mod growth;
mod kept;
mod kept_lost;
mod lazily;
mod leave;
mod memory;
mod memory_of_many;
mod once;
mod resolve;
mod run;
mod unknown;
mod waiting;

mod examples;
