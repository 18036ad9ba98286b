//! What the ledger is called with: accounts, requests, amounts, and the filters of its history.

use super::values::{ANSWERED, ASKED_FOR, BAD};
use super::{Argument, Bad, argument};

pub(super) const ACCOUNT: Argument = argument("'alice'", ACCOUNTS);

pub(super) const ACCOUNTS: &[Bad] = &[
    ("null", BAD),
    ("''", BAD),
    ("'a' || chr(1)", BAD),
    ("E'a\\nb'", BAD),
    ("chr(127)", BAD),
    ("'a' || chr(159)", BAD),
    ("repeat('x', 513)", BAD),
    ("repeat('x', 1048576)", BAD),
    ("'nobody'", ANSWERED),
    ("'issued'", ANSWERED),
    (r#"$$'; drop table credit.entry; --$$"#, ANSWERED),
];

pub(super) const REQUEST: Argument = argument(
    "'00000000-0000-4000-8000-0000000000aa'",
    &[
        ("null", BAD),
        ("'00000000-0000-0000-0000-000000000000'", BAD),
    ],
);

pub(super) const PURPOSE: Argument = argument(
    "'query'",
    &[
        ("null", BAD),
        ("'a' || chr(1)", BAD),
        ("E'a\\nb'", BAD),
        ("chr(127)", BAD),
        ("'a' || chr(159)", BAD),
        ("repeat('x', 513)", BAD),
        ("repeat('x', 1048576)", BAD),
    ],
);

/// An answer of 0 would say that nothing was paid.
pub(super) const COUNTED: &[Bad] = &[
    ("null", BAD),
    ("''", ANSWERED),
    ("repeat('x', 1048576)", ANSWERED),
];

/// The fence under which `r` is open; another number would be refused, and that is a row.
pub(super) const OPENED: Argument = argument(
    "5",
    &[
        ("null", BAD),
        ("0", BAD),
        ("-1", BAD),
        ("4611686018427387904", BAD),
        ("9223372036854775807", BAD),
        ("-9223372036854775808", BAD),
    ],
);

/// More than alice has, and what is no amount.
pub(super) const TAKEN: &[Bad] = &[
    ("null", BAD),
    ("0", BAD),
    ("-1", BAD),
    ("-9223372036854775808", BAD),
    ("11", ANSWERED),
    ("4611686018427387904", ANSWERED),
    ("9223372036854775807", ANSWERED),
];

/// More than is held, or was charged.
pub(super) const OF_A_HOLD: &[Bad] = &[
    ("null", BAD),
    ("0", BAD),
    ("-1", BAD),
    ("-9223372036854775808", BAD),
    ("3", ANSWERED),
    ("9223372036854775807", ANSWERED),
];

/// An earlier request: none, one that was never made, and the request itself.
pub(super) const GONE_BACK_TO: &[Bad] = &[
    ("null", BAD),
    ("'00000000-0000-0000-0000-000000000000'", BAD),
    ("'00000000-0000-4000-8000-0000000000aa'", BAD),
    ("'00000000-0000-4000-8000-0000000000dd'", ANSWERED),
];

/// An open hold of two credits of alice's, made under `r`.
pub(super) const HOLD: Argument = argument("'00000000-0000-4000-8000-0000000000bb'", GONE_BACK_TO);

pub(super) const FLOOR: Argument = argument(
    "-1",
    &[("null", BAD), ("1", BAD), ("9223372036854775807", BAD)],
);

/// Filters of the history: whatever is looked for, it is there or not.
pub(super) const FILTERED: Argument = argument("'r'", ASKED_FOR);

pub(super) const FILTERED_HOLDER: Argument = argument(
    "'00000000-0000-4000-8000-000000000005'",
    &[
        ("null", ANSWERED),
        ("'00000000-0000-0000-0000-000000000000'", ANSWERED),
    ],
);

pub(super) const MOMENT: Argument = argument(
    "'2026-01-01'",
    &[
        ("null", ANSWERED),
        ("'-infinity'", ANSWERED),
        ("'infinity'", ANSWERED),
        ("'294276-12-31'", ANSWERED),
        ("'4713-01-01 bc'", ANSWERED),
    ],
);

/// One of a few words: a misspelt one would find nothing, and be taken for "there is none".
pub(super) const WORDS: &[Bad] = &[
    ("null", ANSWERED),
    ("''", BAD),
    ("'Open'", BAD),
    ("'none'", BAD),
    ("repeat('x', 1048576)", BAD),
];
