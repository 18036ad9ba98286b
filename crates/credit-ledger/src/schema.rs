//! The ledger's SQL, embedded.

use fence_guard::{Schema, migrations};

/// A function's text.
macro_rules! function {
    ($name:literal) => {
        include_str!(concat!("../../../sql/credit/functions/", $name, ".sql"))
    };
}

/// The schema `credit`: accounts, entries, holds and their functions. It needs [`fence_guard::SCHEMA`].
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
        function!("request_key"),
        function!("check_account"),
        function!("check_floor"),
        function!("check_expiry"),
        function!("check_request"),
        function!("check_follow_up"),
        function!("is_void"),
        function!("hold_state"),
        function!("end_holds"),
        function!("give_back_expired"),
        function!("give_back_void"),
        function!("give_back"),
        function!("is_covered"),
        function!("lock_account"),
        function!("judge_account"),
        function!("write_entry"),
        function!("post"),
        function!("is_hold_request"),
        function!("replay"),
        function!("open_account"),
        function!("set_floor"),
        function!("set_frozen"),
        function!("freeze_account"),
        function!("unfreeze_account"),
        function!("close_account"),
        function!("standing"),
        function!("balance"),
        function!("grant"),
        function!("charge"),
        function!("numbered"),
        function!("unused_of"),
        function!("admitted_of"),
        function!("accounts_of"),
        function!("post_together"),
        function!("charge_together"),
        function!("ride"),
        function!("charge_unless_charged"),
        function!("charge_once"),
        function!("replay_hold"),
        function!("set_aside"),
        function!("hold"),
        function!("look_hold"),
        function!("tell_hold"),
        function!("capture_hold"),
        function!("capture"),
        function!("replay_release"),
        function!("release_hold"),
        function!("release"),
        function!("refund_charge"),
        function!("refund"),
        function!("sweep_holds"),
        function!("keeps_opening"),
        function!("charged"),
        function!("numbers_between"),
        function!("entries"),
        function!("dead_holds"),
        function!("holds"),
        function!("refusals"),
        function!("audit_guarded"),
        function!("audit_balances"),
        function!("audit_holds"),
        function!("audit_ended"),
        function!("audit"),
        function!("grant_to"),
    ],
};
