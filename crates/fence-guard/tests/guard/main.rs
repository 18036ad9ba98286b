//! The guard under what a payments team would try on it: installs from many instances at once and
//! over other versions, holders that freeze, stream or are killed, servers that lose their power,
//! and a pooler in between. Rules: S4, S9 and S10; cases: C30, C32 and C46.
//!
//! Orders are forced as in the tests of the promises: by transactions that a test holds, and by
//! seeing that a backend waits.

mod support;

mod install;
mod install_beside_a_host;
mod install_versions;

mod blocked;
mod commit;
mod fairness;
mod frozen;
#[cfg(target_os = "linux")]
mod frozen_while_receiving;
mod zombie;

mod durability;
mod unknown;

mod foreign;
mod last_fence;

mod pooler;
