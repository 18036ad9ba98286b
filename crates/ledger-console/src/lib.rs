#![doc = include_str!("../README.md")]

mod audit;
pub mod cli;
mod database;
mod doctor;
mod error;
pub mod kept;
mod lists;
pub mod output;
pub mod picture;
mod rows;
mod run;
pub mod serve;
mod servers;
mod stats;
mod watch;
mod whole;

pub use database::Database;
pub use error::Error;
pub use run::{Ended, run};
pub use servers::Servers;
