//! What the tests of the promises share: a world with real servers, clients whose backends are
//! known, and the one way to tell that a backend waits.
//!
//! Orders are forced by transactions that a test holds, and by seeing that a backend waits for one
//! of them; never by sleeping. Whatever is awaited has a bound with a name, so that a test that
//! waits in vain says for what.

mod answer;
mod client;
mod connecting;
mod plan;
mod session;
mod started;
mod waiting;
mod world;

pub use answer::{Answer, MustRefuse, sqlstate, stored_sqlstate};
pub use client::Client;
pub use plan::{
    HOLD, account, capture, charge, charge_of, grant_of, hold, permit, refund, release, resource,
    same_number,
};
pub use session::Session;
pub use started::{DONE_WITHIN, Started, start, within};
pub use waiting::{BLOCKED_WITHIN, LOOK_EVERY};
pub use world::World;

/// The README's own example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
