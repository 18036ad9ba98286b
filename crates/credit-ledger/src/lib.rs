#![doc = include_str!("../README.md")]

mod error;
mod ledger;
mod names;
mod records;
mod requests;
mod schema;

pub use error::Error;
pub use fence_guard::{Finding, StoreError};
pub use ledger::{Applied, Ledger};
pub use names::{Account, Credits, InvalidCredits, InvalidName, Purpose};
pub use records::{EntryRow, RefusedWrite};
pub use requests::{Charge, Grant, InvalidRequestId, RequestId};
pub use schema::SCHEMA;
