//! The ledger under what a payments team would try on it: a role that has nothing but EXECUTE, every
//! argument at its edges, sessions that want less durability, servers that lose their power, and a
//! pooler in between. Rules: S4, S6, S7, S9; cases: C32, C40, C46, C48.

mod support;

mod bypass;
mod hostile_session;
mod limits;
mod privileges;

mod arguments;
mod bad_input;
mod every_verb;
mod foreign;
mod problems;
mod refused_rows;

mod coalesce;
mod coalesce_apart;
mod coalesce_crowded;
mod coalesce_storm;

mod retention;

mod example;

mod durability;
mod synchronous_commit;
mod unknown;

mod pooler;
