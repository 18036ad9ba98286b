//! The outer functions, each with a good call, and for each argument what else somebody may send.

/// A bad argument, and the SQLSTATEs that it may come to; none where it is answered all the same.
pub(crate) type Bad = (&'static str, &'static [&'static str]);

/// One argument of a function.
pub(crate) struct Argument {
    pub(crate) good: &'static str,
    pub(crate) bad: &'static [Bad],
}

/// An outer function.
pub(crate) struct Outer {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [Argument],
}

/// A bad argument.
const BAD: &[&str] = &["ZF004"];
/// Another function was meant.
const MIXED_UP: &[&str] = &["ZF003"];
/// Answered without a change: the function's head says with what.
const ANSWERED: &[&str] = &[];
/// Postgres' own word for a limit below zero.
const BELOW_ZERO: &[&str] = &["2201W"];
/// Before version 17 no interval is infinite: Postgres itself does not read it.
const INFINITE: &[&str] = &["ZF004", "22007"];

const fn argument(good: &'static str, bad: &'static [Bad]) -> Argument {
    Argument { good, bad }
}

/// A resource that is open under fence 5, or a name that can be none.
const RESOURCE: Argument = argument("'r'", NAMES);
const ACCOUNT: Argument = argument("'alice'", ACCOUNTS);
const NAMES: &[Bad] = &[
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
const ACCOUNTS: &[Bad] = &[
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
const FENCES: &[Bad] = &[
    ("null", BAD),
    ("0", BAD),
    ("-1", BAD),
    ("4611686018427387904", BAD),
    ("9223372036854775807", BAD),
    ("-9223372036854775808", BAD),
    ("1", ANSWERED),
];
const HOLDERS: &[Bad] = &[("null", BAD)];
const HOLDER: Argument = argument("'00000000-0000-4000-8000-000000000005'", HOLDERS);
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
const CALLS: &[Bad] = &[
    ("null", MIXED_UP),
    ("''", MIXED_UP),
    ("'other'", MIXED_UP),
    ("repeat('x', 1048576)", MIXED_UP),
];
const REQUEST: Argument = argument(
    "'00000000-0000-4000-8000-0000000000aa'",
    &[
        ("null", BAD),
        ("'00000000-0000-0000-0000-000000000000'", BAD),
    ],
);
const PURPOSE: Argument = argument(
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
/// Readers answer every question.
const AFTER: Argument = argument(
    "0",
    &[
        ("null", ANSWERED),
        ("-9223372036854775808", ANSWERED),
        ("9223372036854775807", ANSWERED),
    ],
);
const LIMIT: Argument = argument(
    "10",
    &[
        ("null", ANSWERED),
        ("0", ANSWERED),
        ("2147483647", ANSWERED),
        ("-1", BELOW_ZERO),
        ("-2147483648", BELOW_ZERO),
    ],
);
const ASKED_FOR: &[Bad] = &[
    ("null", ANSWERED),
    ("''", ANSWERED),
    ("repeat('x', 1048576)", ANSWERED),
];

/// An answer of 0 would say that nothing was paid.
const COUNTED: &[Bad] = &[
    ("null", BAD),
    ("''", ANSWERED),
    ("repeat('x', 1048576)", ANSWERED),
];

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

/// The fence under which `r` is open; another number would be refused, and that is a row.
const OPENED: Argument = argument(
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
const TAKEN: &[Bad] = &[
    ("null", BAD),
    ("0", BAD),
    ("-1", BAD),
    ("-9223372036854775808", BAD),
    ("11", ANSWERED),
    ("4611686018427387904", ANSWERED),
    ("9223372036854775807", ANSWERED),
];
/// More than is held, or was charged.
const OF_A_HOLD: &[Bad] = &[
    ("null", BAD),
    ("0", BAD),
    ("-1", BAD),
    ("-9223372036854775808", BAD),
    ("3", ANSWERED),
    ("9223372036854775807", ANSWERED),
];
/// An earlier request: none, one that was never made, and the request itself.
const GONE_BACK_TO: &[Bad] = &[
    ("null", BAD),
    ("'00000000-0000-0000-0000-000000000000'", BAD),
    ("'00000000-0000-4000-8000-0000000000aa'", BAD),
    ("'00000000-0000-4000-8000-0000000000dd'", ANSWERED),
];
/// An open hold of two credits of alice's, made under `r`.
const HOLD: Argument = argument("'00000000-0000-4000-8000-0000000000bb'", GONE_BACK_TO);
const FLOOR: Argument = argument(
    "-1",
    &[("null", BAD), ("1", BAD), ("9223372036854775807", BAD)],
);
/// Filters of the history: whatever is looked for, it is there or not.
const FILTERED: Argument = argument("'r'", ASKED_FOR);
const FILTERED_HOLDER: Argument = argument(
    "'00000000-0000-4000-8000-000000000005'",
    &[
        ("null", ANSWERED),
        ("'00000000-0000-0000-0000-000000000000'", ANSWERED),
    ],
);
const MOMENT: Argument = argument(
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
const WORDS: &[Bad] = &[
    ("null", ANSWERED),
    ("''", BAD),
    ("'Open'", BAD),
    ("'none'", BAD),
    ("repeat('x', 1048576)", BAD),
];

/// An array that has another number of members than the others, and one that has none, or one of null.
const OTHERS_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::uuid[]", BAD),
    ("array[gen_random_uuid(), gen_random_uuid()]", BAD),
];
const REQUESTED_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::uuid[]", BAD),
    ("array['00000000-0000-0000-0000-000000000000'::uuid]", BAD),
];
const NUMBERED_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::bigint[]", BAD),
    ("array[0::bigint]", BAD),
    ("array[-1::bigint]", BAD),
    ("array[5::bigint, 5::bigint]", BAD),
];
const NAMED_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::text[]", BAD),
    ("array['']", BAD),
    ("array['a' || chr(1)]", BAD),
    ("array[repeat('x', 513)]", BAD),
    ("array['r', 's']", BAD),
    ("array(select 'r' from generate_series(1, 257))", BAD),
    (r#"array[$$'; drop table credit.entry; --$$]"#, ANSWERED),
];
const PURPOSES_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::text[]", BAD),
    ("array['a' || chr(1)]", BAD),
    ("array[repeat('x', 513)]", BAD),
];

/// Every outer function, in the order of their names.
pub(crate) const OUTER_CALLS: &[Outer] = &[
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
            argument("'capture'", CALLS),
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
            argument("'charge'", CALLS),
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
            argument("'charge_once'", CALLS),
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
            argument("'charge_together'", CALLS),
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
        arguments: &[ACCOUNT, argument("'close_account'", CALLS)],
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
        ],
    },
    Outer {
        name: "credit.freeze_account",
        arguments: &[ACCOUNT, argument("'freeze_account'", CALLS)],
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
            argument("'grant'", CALLS),
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
            argument("'hold'", CALLS),
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
            argument("'open_account'", CALLS),
        ],
    },
    Outer {
        name: "credit.refund",
        arguments: &[
            REQUEST,
            argument("'00000000-0000-4000-8000-0000000000cc'", GONE_BACK_TO),
            argument("1", OF_A_HOLD),
            argument("'refund'", CALLS),
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
            argument("'release'", CALLS),
        ],
    },
    Outer {
        name: "credit.set_floor",
        arguments: &[ACCOUNT, FLOOR, argument("'set_floor'", CALLS)],
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
            argument("'sweep_holds'", CALLS),
        ],
    },
    Outer {
        name: "credit.unfreeze_account",
        arguments: &[ACCOUNT, argument("'unfreeze_account'", CALLS)],
    },
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
            argument("'admit'", CALLS),
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
            argument("'close'", CALLS),
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
        name: "fence.mark",
        arguments: &[RESOURCE, argument("'mark'", CALLS)],
    },
    Outer {
        name: "fence.open",
        arguments: &[
            RESOURCE,
            argument("6", FENCES),
            HOLDER,
            VALID_FOR,
            WAIT,
            argument("'open'", CALLS),
        ],
    },
    Outer {
        name: "fence.open_next",
        arguments: &[
            argument("'s'", NAMES),
            HOLDER,
            VALID_FOR,
            WAIT,
            argument("'open_next'", CALLS),
        ],
    },
    Outer {
        name: "fence.openings",
        arguments: &[argument("'r'", ASKED_FOR), AFTER, LIMIT],
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
        arguments: &[argument("'r'", ASKED_FOR), AFTER, LIMIT],
    },
];
