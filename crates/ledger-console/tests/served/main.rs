//! The page of `ledger serve` as it is read: links and lists, and what a Chromium makes of it while Postgres goes away,
//! while ten thousand rows are there, and while somebody reads what is brought up to date.

mod answers;
mod away;
mod crowd;
mod driver;
mod reading;
mod served;
