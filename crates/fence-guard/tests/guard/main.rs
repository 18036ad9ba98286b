//! The guard under what a payments team would try on it: installs from many instances at once and
//! over other versions, holders that freeze, stream or are killed, servers that lose their power,
//! tables of a service under the guard and every way of writing to them, jobs that prune and fold under
//! writers, and a pooler in between. Rules: S1 to S4, S9 and S10; cases: C29, C30, C32, C34 and C46.
//!
//! Orders are forced as in the tests of the promises: by transactions that a test holds, and by
//! seeing that a backend waits.

mod support;

mod install;
mod install_beside_a_host;
mod install_in_use;
mod install_under_writers;
mod install_versions;

mod blocked;
mod commit;
mod fairness;
mod frozen;
#[cfg(target_os = "linux")]
mod frozen_while_receiving;
mod prepared;
mod zombie;

mod durability;
mod unknown;

mod any_text;
mod figures;
mod foreign;
mod last_fence;

mod protected;

mod decisions;
mod protect_by_hand;
mod protect_bypass;
mod protect_collations;
mod protect_columns;
mod protect_detached;
mod protect_foreign;
mod protect_forged;
mod protect_memberships;
mod protect_owners;
mod protect_parts;
mod protect_roles;
mod protect_rows;
mod protect_subscriptions;
mod protect_tables;
mod protect_upgrade;
mod protect_waits;
mod several;

mod fold;
mod fold_holders;
mod fold_races;
mod jobs;
mod keepers;
mod prune;

mod looking;
mod told;

mod pooler;
