//! What is sent for many charges together: arrays that have a member for each.

use super::Bad;
use super::values::{ANSWERED, BAD};

/// An array that has another number of members than the others, and one that has none, or one of null.
pub(super) const OTHERS_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::uuid[]", BAD),
    ("array[gen_random_uuid(), gen_random_uuid()]", BAD),
];

pub(super) const REQUESTED_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::uuid[]", BAD),
    ("array['00000000-0000-0000-0000-000000000000'::uuid]", BAD),
];

pub(super) const NUMBERED_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::bigint[]", BAD),
    ("array[0::bigint]", BAD),
    ("array[-1::bigint]", BAD),
    ("array[5::bigint, 5::bigint]", BAD),
];

pub(super) const NAMED_TOGETHER: &[Bad] = &[
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

pub(super) const PURPOSES_TOGETHER: &[Bad] = &[
    ("null", BAD),
    ("'{}'", BAD),
    ("array[null]::text[]", BAD),
    ("array['a' || chr(1)]", BAD),
    ("array[repeat('x', 513)]", BAD),
];
