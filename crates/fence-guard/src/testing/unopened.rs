//! An opening that nobody made.

use fence::Permit;
use time::OffsetDateTime;

use crate::open_permit::OpenPermit;

/// What a program holds that took an opening from a forged header, or from a job's payload of long ago.
///
/// For tests of what a service makes of it; the guard believes no `OpenPermit`, it looks at its own row.
pub fn unopened(permit: &Permit) -> OpenPermit {
    OpenPermit {
        permit: permit.clone(),
        seq: 1,
        valid_until: OffsetDateTime::UNIX_EPOCH,
        takeover: false,
    }
}
