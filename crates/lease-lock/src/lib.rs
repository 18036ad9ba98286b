#![doc = include_str!("../README.md")]

mod acquire;
mod attempt;
mod bucket;
mod connection;
mod error;
mod lease;
mod lock;
mod prefix;
mod release;
mod renew;
mod reply;
mod script;
mod trust;
mod ttl;

pub use attempt::Attempt;
pub use connection::ConnectError;
pub use error::{AcquireError, CounterProblem, Lost, ReleaseError, RemintError, RenewError};
pub use fence::{Fence, FenceOutOfRange, Floor, Holder, InvalidResource, Permit, Resource};
pub use lease::Lease;
pub use lock::LeaseLock;
pub use prefix::{InvalidPrefix, Prefix};
pub use release::Released;
pub use ttl::{InvalidTtl, Ttl};
