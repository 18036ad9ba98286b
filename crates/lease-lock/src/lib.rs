#![doc = include_str!("../README.md")]

mod acquire;
mod attempt;
mod bucket;
mod channels;
mod connection;
mod error;
mod keeper;
mod kept;
mod lease;
mod leave;
mod lock;
pub mod lookalike;
mod place;
mod prefix;
mod preflight;
#[cfg(test)]
mod properties;
mod release;
mod renew;
mod renewing;
mod reply;
mod script;
mod servers;
mod several;
mod trust;
mod ttl;
mod wait;
mod waiters;
mod wakes;

pub use attempt::Attempt;
pub use connection::ConnectError;
pub use error::{AcquireError, CounterProblem, Lost, ReleaseError, RemintError, RenewError};
pub use fence::{Fence, FenceOutOfRange, Floor, Holder, InvalidResource, Permit, Resource};
pub use kept::Kept;
pub use lease::Lease;
pub use lock::LeaseLock;
pub use prefix::{InvalidPrefix, Prefix};
pub use preflight::{Finding, Preflight, Severity, Topic};
pub use release::Released;
pub use renewing::{freshen, renewing};
pub use servers::Servers;
pub use several::AcquireAllError;
pub use ttl::{InvalidTtl, Ttl};
