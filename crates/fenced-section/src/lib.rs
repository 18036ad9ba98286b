#![doc = include_str!("../README.md")]

mod acquire;
mod enter;
mod enter_all;
mod error;
mod figures;
mod from_guard;
mod heal;
mod hold;
mod leave;
mod once;
mod options;
mod ratio;
mod resolve;
mod run;
mod section;
mod sections;
mod set;
mod summary;
mod unfenced;

pub use enter_all::EnterAllError;
pub use error::{EnterError, Lost, OnceError};
pub use fence::{Fence, Holder, MayRefuse, Permit, Reason, Refusal, Resource};
pub use fence_guard::{Closed, Guard, OpenPermit};
pub use lease_lock::{LeaseLock, Prefix, Released, Servers, Ttl};
pub use leave::{Left, NotDone};
pub use options::EnterOptions;
pub use ratio::{HOLD_BOUNDS_PERCENT, HoldRatios};
pub use resolve::Resolved;
pub use section::Section;
pub use sections::Sections;
pub use set::SectionSet;
pub use summary::Summary;
