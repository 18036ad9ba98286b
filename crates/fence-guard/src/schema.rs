//! The guard's SQL, embedded.

use crate::install::{Schema, migrations};

/// The schema `fence`: tables and functions of the guard. [`install`](crate::install) puts it in place.
pub const SCHEMA: Schema = Schema {
    name: "fence",
    migrator: || {
        migrations(&[(
            1,
            "guard",
            include_str!("../../../sql/guard/migrations/0001_guard.sql"),
        )])
    },
    functions_version: 1,
    functions: &[
        include_str!("../../../sql/guard/functions/judge.sql"),
        include_str!("../../../sql/guard/functions/judge_opening.sql"),
        include_str!("../../../sql/guard/functions/lock_key.sql"),
        include_str!("../../../sql/guard/functions/shorten.sql"),
        include_str!("../../../sql/guard/functions/arm.sql"),
        include_str!("../../../sql/guard/functions/is_name.sql"),
        include_str!("../../../sql/guard/functions/check_permit.sql"),
        include_str!("../../../sql/guard/functions/canonical.sql"),
        include_str!("../../../sql/guard/functions/admission.sql"),
        include_str!("../../../sql/guard/functions/admitted.sql"),
        include_str!("../../../sql/guard/functions/look_floor.sql"),
        include_str!("../../../sql/guard/functions/look.sql"),
        include_str!("../../../sql/guard/functions/refuse.sql"),
        include_str!("../../../sql/guard/functions/record_opening.sql"),
        include_str!("../../../sql/guard/functions/raise_mark.sql"),
        include_str!("../../../sql/guard/functions/open.sql"),
        include_str!("../../../sql/guard/functions/open_next.sql"),
        include_str!("../../../sql/guard/functions/admit.sql"),
        include_str!("../../../sql/guard/functions/admit_within.sql"),
        include_str!("../../../sql/guard/functions/close.sql"),
        include_str!("../../../sql/guard/functions/mark.sql"),
        include_str!("../../../sql/guard/functions/openings.sql"),
        include_str!("../../../sql/guard/functions/refusals.sql"),
        include_str!("../../../sql/guard/functions/blockers.sql"),
        include_str!("../../../sql/guard/functions/audit.sql"),
        include_str!("../../../sql/guard/functions/bypass.sql"),
        include_str!("../../../sql/guard/functions/grant_outer.sql"),
        include_str!("../../../sql/guard/functions/grant_to.sql"),
    ],
};
