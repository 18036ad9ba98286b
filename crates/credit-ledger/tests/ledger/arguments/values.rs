//! What both schemas are called with, and what a bad argument comes to.

use super::{Argument, Bad, argument};

/// A bad argument.
pub(super) const BAD: &[&str] = &["ZF004"];

/// Another function was meant.
pub(super) const MIXED_UP: &[&str] = &["ZF003"];

/// Answered without a change: the function's head says with what.
pub(super) const ANSWERED: &[&str] = &[];

/// Postgres' own word for a limit below zero.
pub(super) const BELOW_ZERO: &[&str] = &["2201W"];

/// Before version 17 no interval is infinite: Postgres itself does not read it.
pub(super) const INFINITE: &[&str] = &["ZF004", "22007"];

/// A resource that is open under fence 5, or a name that can be none.
pub(super) const RESOURCE: Argument = argument("'r'", NAMES);

pub(super) const NAMES: &[Bad] = &[
    ("null", BAD),
    ("''", BAD),
    ("'a' || chr(1)", BAD),
    ("E'a\\nb'", BAD),
    ("chr(127)", BAD),
    ("'a' || chr(159)", BAD),
    ("repeat('x', 513)", BAD),
    ("repeat('é', 257)", BAD),
    ("repeat('x', 1048576)", BAD),
];
pub(super) const HOLDERS: &[Bad] = &[("null", BAD)];
pub(super) const HOLDER: Argument = argument("'00000000-0000-4000-8000-000000000005'", HOLDERS);

pub(super) const CALLED: &[Bad] = &[
    ("null", MIXED_UP),
    ("''", MIXED_UP),
    ("'other'", MIXED_UP),
    ("repeat('x', 1048576)", MIXED_UP),
];

/// Readers answer every question.
pub(super) const AFTER: Argument = argument(
    "0",
    &[
        ("null", ANSWERED),
        ("-9223372036854775808", ANSWERED),
        ("9223372036854775807", ANSWERED),
    ],
);
pub(super) const BEFORE: Argument = argument("9223372036854775807", AFTER.bad);

pub(super) const LIMIT: Argument = argument(
    "10",
    &[
        ("null", ANSWERED),
        ("0", ANSWERED),
        ("2147483647", ANSWERED),
        ("-1", BELOW_ZERO),
        ("-2147483648", BELOW_ZERO),
    ],
);

pub(super) const ASKED_FOR: &[Bad] = &[
    ("null", ANSWERED),
    ("''", ANSWERED),
    ("repeat('x', 1048576)", ANSWERED),
];
