//! Where `double-charge` keeps its rows, so that the next program finds them.

use std::path::PathBuf;

/// What the databases of the story are called, each with the version of its tables behind it.
pub const DATABASE_PREFIX: &str = "double_charge_";

/// Where the private Postgres of a story keeps its data between runs: beside what cargo builds.
pub fn folder() -> PathBuf {
    let base = testbed::target_folder().unwrap_or_else(std::env::temp_dir);
    base.join("double-charge-data")
}
