//! The ledger's outer functions.

use super::ledger_values::*;
use super::together::*;
use super::values::*;
use super::{Outer, argument};

/// In the order of their names.
pub(super) const CALLS: &[Outer] = &[
    Outer {
        name: "credit.audit",
        arguments: &[argument(
            "1",
            &[("null", ANSWERED), ("0", ANSWERED), ("-1", ANSWERED)],
        )],
    },
    Outer {
        name: "credit.balance",
        arguments: &[argument("'alice'", ASKED_FOR)],
    },
    Outer {
        name: "credit.capture",
        arguments: &[
            RESOURCE,
            OPENED,
            HOLDER,
            REQUEST,
            HOLD,
            argument("1", OF_A_HOLD),
            argument("'capture'", CALLED),
        ],
    },
    Outer {
        name: "credit.charge",
        arguments: &[
            RESOURCE,
            OPENED,
            HOLDER,
            REQUEST,
            ACCOUNT,
            argument("1", TAKEN),
            PURPOSE,
            argument("'charge'", CALLED),
        ],
    },
    Outer {
        name: "credit.charge_once",
        arguments: &[
            RESOURCE,
            OPENED,
            HOLDER,
            REQUEST,
            ACCOUNT,
            argument("1", TAKEN),
            PURPOSE,
            argument("'-infinity'", &[("null", BAD)]),
            argument("'charge_once'", CALLED),
        ],
    },
    Outer {
        name: "credit.charge_together",
        arguments: &[
            argument("array['r']", NAMED_TOGETHER),
            argument("array[5::bigint]", NUMBERED_TOGETHER),
            argument(
                "array['00000000-0000-4000-8000-000000000005'::uuid]",
                OTHERS_TOGETHER,
            ),
            argument(
                "array['00000000-0000-4000-8000-0000000000aa'::uuid]",
                REQUESTED_TOGETHER,
            ),
            argument("array['alice']", NAMED_TOGETHER),
            argument("array[1::bigint]", NUMBERED_TOGETHER),
            argument("array['query']", PURPOSES_TOGETHER),
            argument("'charge_together'", CALLED),
        ],
    },
    Outer {
        name: "credit.charged",
        arguments: &[
            argument("'alice'", COUNTED),
            argument("'query'", COUNTED),
            argument("'-infinity'", &[("null", BAD), ("'infinity'", ANSWERED)]),
        ],
    },
    Outer {
        name: "credit.close_account",
        arguments: &[ACCOUNT, argument("'close_account'", CALLED)],
    },
    Outer {
        name: "credit.entries",
        arguments: &[
            argument("'alice'", ASKED_FOR),
            AFTER,
            LIMIT,
            FILTERED,
            FILTERED_HOLDER,
            MOMENT,
            MOMENT,
            BEFORE,
        ],
    },
    Outer {
        name: "credit.freeze_account",
        arguments: &[ACCOUNT, argument("'freeze_account'", CALLED)],
    },
    Outer {
        name: "credit.grant",
        arguments: &[
            REQUEST,
            ACCOUNT,
            argument(
                "1",
                &[
                    ("null", BAD),
                    ("0", BAD),
                    ("-1", BAD),
                    ("-9223372036854775808", BAD),
                    ("9223372036854775807", ANSWERED),
                ],
            ),
            PURPOSE,
            argument("'grant'", CALLED),
        ],
    },
    Outer {
        name: "credit.hold",
        arguments: &[
            RESOURCE,
            OPENED,
            HOLDER,
            REQUEST,
            ACCOUNT,
            argument("1", TAKEN),
            PURPOSE,
            argument(
                "'30 s'",
                &[
                    ("null", BAD),
                    ("'0'", BAD),
                    ("'999 us'", BAD),
                    ("'-1 s'", BAD),
                    ("'367 days'", BAD),
                    ("'178000000 years'", BAD),
                    ("'-178000000 years'", BAD),
                    ("'infinity'", INFINITE),
                    ("'-infinity'", INFINITE),
                ],
            ),
            argument("'hold'", CALLED),
        ],
    },
    Outer {
        name: "credit.holds",
        arguments: &[
            argument("'alice'", ASKED_FOR),
            AFTER,
            LIMIT,
            argument("'open'", WORDS),
            FILTERED,
            FILTERED_HOLDER,
            MOMENT,
            MOMENT,
            BEFORE,
        ],
    },
    Outer {
        name: "credit.open_account",
        arguments: &[
            argument(
                "'bob'",
                &[
                    ("null", BAD),
                    ("''", BAD),
                    ("'a' || chr(1)", BAD),
                    ("E'a\\nb'", BAD),
                    ("chr(127)", BAD),
                    ("'a' || chr(159)", BAD),
                    ("repeat('x', 513)", BAD),
                    ("repeat('x', 1048576)", BAD),
                    ("'issued'", BAD),
                    ("'alice'", ANSWERED),
                ],
            ),
            FLOOR,
            argument("'open_account'", CALLED),
        ],
    },
    Outer {
        name: "credit.refund",
        arguments: &[
            REQUEST,
            argument("'00000000-0000-4000-8000-0000000000cc'", GONE_BACK_TO),
            argument("1", OF_A_HOLD),
            argument("'refund'", CALLED),
        ],
    },
    Outer {
        name: "credit.refusals",
        arguments: &[
            argument("'alice'", ASKED_FOR),
            AFTER,
            LIMIT,
            argument("'stale'", WORDS),
            FILTERED,
            FILTERED_HOLDER,
            MOMENT,
            MOMENT,
            BEFORE,
        ],
    },
    Outer {
        name: "credit.release",
        arguments: &[
            RESOURCE,
            OPENED,
            HOLDER,
            REQUEST,
            HOLD,
            argument("'release'", CALLED),
        ],
    },
    Outer {
        name: "credit.set_floor",
        arguments: &[ACCOUNT, FLOOR, argument("'set_floor'", CALLED)],
    },
    Outer {
        name: "credit.standing",
        arguments: &[argument("'alice'", ASKED_FOR)],
    },
    Outer {
        name: "credit.sweep_holds",
        arguments: &[
            argument(
                "10",
                &[
                    ("null", BAD),
                    ("0", BAD),
                    ("-1", BAD),
                    ("10001", BAD),
                    ("2147483647", BAD),
                ],
            ),
            argument("'sweep_holds'", CALLED),
        ],
    },
    Outer {
        name: "credit.unfreeze_account",
        arguments: &[ACCOUNT, argument("'unfreeze_account'", CALLED)],
    },
];
