//! The ledger beyond grant and charge: what is held and resolved once, refunded and charged once; accounts that are
//! frozen and closed; the history, and the audit of all of it.

mod line;
mod setup;

mod holds;
mod holds_expire;
mod holds_many;
mod holds_race;
mod holds_refused;
mod holds_requests;
mod holds_settled;
mod holds_twins;
mod holds_void;
mod killed;

mod charge_once;
mod charge_once_race;
mod refunds;

mod accounts;
mod collations;
mod collations_calls;
mod frozen;
mod within;

mod audit;
mod history;
mod pages;
