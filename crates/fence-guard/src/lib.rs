#![doc = include_str!("../README.md")]

mod begin;
mod blocked;
#[cfg(feature = "serde")]
mod carried;
mod error;
mod figures;
mod guard;
#[cfg(feature = "http")]
pub mod http;
mod inspect;
mod install;
mod open_permit;
mod page;
mod records;
mod retention;
mod schema;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod trigger_refusal;
mod tx;

pub use blocked::Blocker;
pub use error::{Error, StoreError};
pub use fence::{Fence, Floor, Holder, MayRefuse, Permit, Reason, Refusal, Resource};
pub use figures::{FiguresOf, FiguresRow};
pub use guard::{Closed, Guard};
pub use inspect::{BypassRow, CHANNEL, Horizon, VersionRow};
pub use install::{InstallError, Schema, install, install_within, migrations};
pub use open_permit::OpenPermit;
pub use page::{Filter, Page};
pub use records::{Finding, OpeningRow, RefusalRow};
pub use retention::Retention;
pub use schema::SCHEMA;
pub use store::{GuardOptions, Store};
pub use trigger_refusal::{TriggerReason, TriggerRefusal};
pub use tx::GuardedTx;
