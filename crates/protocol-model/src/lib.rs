#![doc = include_str!("../README.md")]

mod action;
mod bug;
mod calm;
mod client;
mod explore;
mod faults;
mod guard;
mod protocol;
mod reached;
mod redis;
mod rules;
mod scope;
mod session;
mod state;
mod table;
mod trace;
mod words;

pub use bug::Bug;
pub use explore::{Verdict, explore};
pub use scope::Scope;
pub use table::{table_of_bugs, table_of_scopes};
pub use trace::shortest;
