#![doc = include_str!("../README.md")]

mod accounts;
mod answer;
mod coalesce;
mod error;
mod history;
mod hold_state;
mod holds;
#[cfg(feature = "http")]
pub mod http;
mod ledger;
mod names;
mod records;
mod request_id;
mod requests;
mod schema;

pub use accounts::Standing;
pub use answer::{Applied, Held, Once, Released};
pub use coalesce::{CoalesceFigures, CoalesceOptions, Coalescer};
pub use error::Error;
pub use fence_guard::{Finding, Page, StoreError};
pub use history::Filter;
pub use hold_state::{HoldState, UnknownHoldState};
pub use ledger::Ledger;
pub use names::{Account, Credits, InvalidCredits, InvalidName, Purpose};
pub use records::{EntryRow, HoldRow, RefusedWrite};
pub use request_id::{InvalidRequestId, RequestId};
pub use requests::{Capture, Charge, Grant, Hold, Refund, Release};
pub use schema::SCHEMA;
