//! What needs to speak to the servers.

mod database;
mod redact;
mod versions;

pub use database::{TestDatabase, database, prefix};
pub use redact::redacted;
pub use versions::Versions;
