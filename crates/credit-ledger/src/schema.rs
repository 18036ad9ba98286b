//! The ledger's SQL, embedded.

use fence_guard::{Schema, migrations};

/// The schema `credit`: accounts, entries and their functions. It needs [`fence_guard::SCHEMA`].
pub const SCHEMA: Schema = Schema {
    name: "credit",
    migrator: || {
        migrations(&[(
            1,
            "ledger",
            include_str!("../../../sql/credit/migrations/0001_ledger.sql"),
        )])
    },
    functions_version: 1,
    functions: &[
        include_str!("../../../sql/credit/functions/check_request.sql"),
        include_str!("../../../sql/credit/functions/replay.sql"),
        include_str!("../../../sql/credit/functions/post.sql"),
        include_str!("../../../sql/credit/functions/open_account.sql"),
        include_str!("../../../sql/credit/functions/grant.sql"),
        include_str!("../../../sql/credit/functions/charge.sql"),
        include_str!("../../../sql/credit/functions/balance.sql"),
        include_str!("../../../sql/credit/functions/charged.sql"),
        include_str!("../../../sql/credit/functions/entries.sql"),
        include_str!("../../../sql/credit/functions/refused.sql"),
        include_str!("../../../sql/credit/functions/audit.sql"),
        include_str!("../../../sql/credit/functions/grant_to.sql"),
    ],
};
