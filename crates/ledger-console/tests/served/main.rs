//! The page of `ledger serve` as it is read: links and lists, and what a Chromium makes of it while Postgres goes away,
//! while ten thousand rows are there, and while somebody reads what is brought up to date.

mod answers;
mod away;
#[path = "../chromium/mod.rs"]
mod chromium;
mod crowd;
mod driver;
#[path = "../programs/mod.rs"]
mod programs;
mod reading;
mod served;
