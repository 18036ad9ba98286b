#![doc = include_str!("../README.md")]

mod holder;
mod may_refuse;
mod number;
mod permit;
mod refusal;
mod resource;
#[cfg(feature = "serde")]
mod serde_text;

pub use holder::{Holder, InvalidHolder};
pub use may_refuse::MayRefuse;
pub use number::{Fence, FenceOutOfRange, Floor};
pub use permit::Permit;
pub use refusal::{Reason, Refusal};
pub use resource::{InvalidResource, Resource};
