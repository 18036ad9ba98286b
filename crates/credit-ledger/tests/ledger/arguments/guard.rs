//! The guard's outer functions, and what they alone are called with.

use super::ledger_values::{FILTERED_HOLDER, MOMENT, WORDS};
use super::values::*;
use super::{Argument, Bad, Outer, argument};

/// In the order of their names.
pub(super) const CALLS: &[Outer] = &[
    Outer {
        name: "fence.admit",
        arguments: &[
            PERMITS,
            OPERATION,
            argument(
                "null",
                &[("'00000000-0000-0000-0000-000000000000'", ANSWERED)],
            ),
            VALID_FOR,
            WRITE,
            argument("'admit'", CALLED),
        ],
    },
    Outer {
        name: "fence.audit",
        arguments: &[],
    },
    Outer {
        name: "fence.audit_from",
        arguments: &[],
    },
    Outer {
        name: "fence.blockers",
        arguments: &[argument("'r'", ASKED_FOR)],
    },
    Outer {
        name: "fence.bypass",
        arguments: &[],
    },
    Outer {
        name: "fence.check_write",
        arguments: &[argument("'r'", ASKED_FOR)],
    },
    Outer {
        name: "fence.close",
        arguments: &[
            RESOURCE,
            argument("5", FENCES),
            HOLDER,
            argument("1", &[("null", BAD)]),
            WAIT,
            argument("'close'", CALLED),
        ],
    },
    Outer {
        name: "fence.family",
        arguments: &[argument("'pg_class'", TABLES)],
    },
    Outer {
        name: "fence.gaps",
        arguments: &[
            argument("'pg_class'", TABLES),
            argument("'relname'", COLUMNS),
        ],
    },
    Outer {
        name: "fence.horizon",
        arguments: &[],
    },
    Outer {
        name: "fence.mark",
        arguments: &[RESOURCE, argument("'mark'", CALLED)],
    },
    Outer {
        name: "fence.open",
        arguments: &[
            RESOURCE,
            argument("6", FENCES),
            HOLDER,
            VALID_FOR,
            WAIT,
            argument("'open'", CALLED),
        ],
    },
    Outer {
        name: "fence.open_next",
        arguments: &[
            argument("'s'", NAMES),
            HOLDER,
            VALID_FOR,
            WAIT,
            argument("'open_next'", CALLED),
        ],
    },
    Outer {
        name: "fence.openings",
        arguments: &[
            argument("'r'", ASKED_FOR),
            AFTER,
            LIMIT,
            FILTERED_HOLDER,
            MOMENT,
            BEFORE,
        ],
    },
    Outer {
        name: "fence.protectable",
        arguments: &[
            argument("'pg_class'", TABLES),
            argument("'relname'", COLUMNS),
        ],
    },
    Outer {
        name: "fence.refusals",
        arguments: &[
            argument("'r'", ASKED_FOR),
            AFTER,
            LIMIT,
            FILTERED_HOLDER,
            argument("'stale'", WORDS),
            MOMENT,
            BEFORE,
        ],
    },
    Outer {
        name: "fence.stats",
        arguments: &[
            BEGINNING,
            argument("'2100-01-01'", BEGINNING.bad),
            argument("1", DEPTHS),
            argument("'1 hour'", STRETCHES),
            LIMIT,
        ],
    },
    Outer {
        name: "fence.versions",
        arguments: &[],
    },
];

const FENCES: &[Bad] = &[
    ("null", BAD),
    ("0", BAD),
    ("-1", BAD),
    ("4611686018427387904", BAD),
    ("9223372036854775807", BAD),
    ("-9223372036854775808", BAD),
    ("1", ANSWERED),
];

const VALID_FOR: Argument = argument(
    "'30 s'",
    &[
        ("null", BAD),
        ("'0'", BAD),
        ("'-1 s'", BAD),
        ("'1 day -24:00:00.000001'", BAD),
        ("'367 days'", BAD),
        ("'178000000 years'", BAD),
        ("'-178000000 years'", BAD),
        ("'infinity'", INFINITE),
        ("'-infinity'", INFINITE),
    ],
);

const WAIT: Argument = argument(
    "'10 s'",
    &[
        ("null", BAD),
        ("'0'", BAD),
        ("'999 us'", BAD),
        ("'-1 s'", BAD),
        ("'1 hour 1 us'", BAD),
        ("'178000000 years'", BAD),
        ("'infinity'", INFINITE),
    ],
);

const PERMITS: Argument = argument(
    "array[('r', 5, '00000000-0000-4000-8000-000000000005')::fence.permit]",
    &[
        ("null", BAD),
        ("'{}'", BAD),
        ("array[null]::fence.permit[]", BAD),
        ("array[(null, 5, gen_random_uuid())::fence.permit]", BAD),
        ("array[('r', null, gen_random_uuid())::fence.permit]", BAD),
        ("array[('r', 5, null)::fence.permit]", BAD),
        ("array[('', 5, gen_random_uuid())::fence.permit]", BAD),
        (
            "array[('a' || chr(31), 5, gen_random_uuid())::fence.permit]",
            BAD,
        ),
        (
            "array[(repeat('x', 513), 5, gen_random_uuid())::fence.permit]",
            BAD,
        ),
        ("array[('r', 0, gen_random_uuid())::fence.permit]", BAD),
        (
            "array[('r', 4611686018427387904, gen_random_uuid())::fence.permit]",
            BAD,
        ),
        (
            "array[('r', 5, gen_random_uuid()), ('s', 0, gen_random_uuid())]::fence.permit[]",
            BAD,
        ),
        (
            "array[('r', 5, gen_random_uuid()), null]::fence.permit[]",
            BAD,
        ),
        (
            "array[('r', 5, gen_random_uuid()), ('r', 6, gen_random_uuid())]::fence.permit[]",
            BAD,
        ),
        (
            "array[array[('r', 5, gen_random_uuid())], array[('r', 5, gen_random_uuid())]]::fence.permit[]",
            BAD,
        ),
        (
            "array(select ('r' || n, 5, gen_random_uuid())::fence.permit from generate_series(1, 65) n)",
            BAD,
        ),
    ],
);

const OPERATION: Argument = argument(
    "'query'",
    &[
        ("null", BAD),
        ("''", BAD),
        ("'a' || chr(1)", BAD),
        ("E'a\\nb'", BAD),
        ("chr(127)", BAD),
        ("'a' || chr(159)", BAD),
        ("repeat('x', 129)", BAD),
        ("repeat('x', 1048576)", BAD),
    ],
);

const WRITE: Argument = argument(
    "'{}'",
    &[
        ("null", ANSWERED),
        ("to_jsonb(repeat('x', 8191))", BAD),
        ("to_jsonb(repeat('x', 1048576))", BAD),
    ],
);

/// Tables and columns that are asked about; what is no table does not get as far as a function.
const TABLES: &[Bad] = &[
    ("null", ANSWERED),
    ("0", ANSWERED),
    ("'fence.resource_key'", ANSWERED),
    ("'nothing'", &["42P01"]),
    ("$$'; drop table credit.entry; --$$", &["42602"]),
];

const COLUMNS: &[Bad] = &[
    ("null", ANSWERED),
    ("''", ANSWERED),
    ("repeat('x', 1048576)::name", ANSWERED),
];
const BEGINNING: Argument = argument(
    "'2000-01-01'",
    &[("null", BAD), ("'infinity'", BAD), ("'-infinity'", BAD)],
);
const DEPTHS: &[Bad] = &[
    ("null", BAD),
    ("-1", BAD),
    ("17", BAD),
    ("2147483647", BAD),
    ("0", ANSWERED),
];
const STRETCHES: &[Bad] = &[
    ("null", ANSWERED),
    ("'0'", BAD),
    ("'-1 s'", BAD),
    ("'999 ms'", BAD),
    ("'1 mon'", ANSWERED),
    ("'178000000 years'", BAD),
    ("'infinity'", INFINITE),
    ("'-infinity'", INFINITE),
];
