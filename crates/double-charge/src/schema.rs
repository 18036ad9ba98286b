//! The story's own SQL, embedded. WRONG ON PURPOSE: it is what the protections that fail charge.

use fence_guard::{Schema, migrations};

/// The schema `story`: a ledger without a guard.
pub(crate) const SCHEMA: Schema = Schema {
    name: "story",
    migrator: || migrations(&[(1, "story", include_str!("../sql/migrations/0001_story.sql"))]),
    functions_version: 1,
    functions: &[
        include_str!("../sql/functions/charge.sql"),
        include_str!("../sql/functions/charge_by_request.sql"),
        include_str!("../sql/functions/charge_under_mark.sql"),
    ],
};
