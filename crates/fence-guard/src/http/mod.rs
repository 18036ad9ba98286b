//! The permit across services: a header that carries an opening, and refusals as RFC 9457 problems.
//!
//! Service A holds the section, and calls service B, which writes to a guarded table. A has opened; B opens nothing.
//! A puts its opening into the request ([`carry`]), B takes it out ([`FencePermit`]) and begins its transaction
//! under it ([`Guard::begin`](crate::Guard::begin)). Where A was overtaken meanwhile, B's write is refused, and A is
//! told with the numbers ([`Problem`]).
//!
//! Nothing rests on B believing the header. Only an opener has an [`OpenPermit`](crate::OpenPermit) to put into one,
//! but a header may be forged: the guard compares fence and holder with the row that it has locked, and says *not
//! open*, *conflict*, *stale* or *closed*, as to anybody.
//!
//! # The header
//!
//! `Fence-Permit` is an Item of RFC 9651 (Structured Field Values): a Display String with five parameters.
//!
//! ```text
//! Fence-Permit: %"user:7:dataset:42";fence="7";holder="0d9c3f6e-7a51-4c8e-9b1f-2a64d0e8c7b5";opening="19";valid_until_us="1793491200000000";takeover=?0
//! ```
//!
//! ```abnf
//! Fence-Permit = resource fence holder opening valid-until takeover   ; at most 2048 bytes
//! resource     = sf-displaystring                  ; 1 to 512 bytes of UTF-8 before its encoding
//! fence        = %s";fence=" DQUOTE positive DQUOTE                   ; 1 to 2^62 - 1
//! holder       = %s";holder=" DQUOTE uuid DQUOTE                      ; in lower case, with hyphens
//! opening      = %s";opening=" DQUOTE positive DQUOTE                 ; 1 to 2^63 - 1
//! valid-until  = %s";valid_until_us=" DQUOTE whole DQUOTE             ; microseconds since 1970
//! takeover     = %s";takeover" / %s";takeover=?0"                     ; true / false
//! positive     = %x31-39 *18DIGIT
//! whole        = "0" / [ "-" ] positive
//! uuid         = 8lchex "-" 4lchex "-" 4lchex "-" 4lchex "-" 12lchex
//! lchex        = DIGIT / %x61-66                                      ; a to f
//! ```
//!
//! Numbers are Strings, because an sf-integer ends at fifteen digits and a fence at nineteen. The resource is a
//! Display String, because it is Unicode. Exactly this spelling is read: one header line, no parameter too many,
//! missing, twice or in another order, no space, nothing percent-encoded that need not be. What is read is
//! therefore never something else than what was written.
//!
//! # Several resources
//!
//! One header line carries one permit, and [`FencePermit`] takes exactly one line: a second one is answered with 400, so
//! that no service writes under half of what its caller meant. What concerns several resources at once, such as moving a
//! row from one to another, takes [`FencePermits`]: 1 to 64 lines, in any order, no two of one resource. A sends them
//! with [`carry_all`]; B hands [`FencePermits::opens_for`] to [`Guard::begin_all`](crate::Guard::begin_all), which
//! admits all of them or none, and names the one that it refuses.
//!
//! Each line is the Item above. Lines that a hop has joined with commas are no Item, and are answered with 400: nothing is
//! read that was not written. A line is of some 180 bytes, and many servers and proxies take 8 to 16 kB of headers in all:
//! who needs more than some forty resources gives them one name to be guarded under, or has B open for itself.
//!
//! # What is secret
//!
//! The header is a bearer credential: whoever has it writes as its holder, until that is overtaken or closes, and can
//! release the lease if it also reaches Redis. So:
//!
//! - It crosses trusted hops only. Strip `Fence-Permit` from what comes in from outside, and do not send it out.
//! - Do not log it. The value is marked as sensitive (`Debug` hides it, HTTP/2 does not index it), and the `Debug` of
//!   [`FencePermit`] and [`FencePermits`] leaves the holder out. Resource, fence and opening may be logged.
//! - No problem names a holder, least of all the one that has overtaken the caller.
//!
//! # Whose row is it?
//!
//! The header says which resource the *sender* has opened. Whether the request is about that resource, B has to know:
//! [`FencePermit::open_for`] and [`FencePermits::opens_for`] compare. A table behind `fence.protect` compares by itself, for every row.

#[cfg(feature = "axum")]
mod axum;
mod field;
mod field_error;
mod from;
mod permit;
mod permits;
mod problem;
mod problem_type;

pub use field::{FENCE_PERMIT, MAX_BYTES};
pub use field_error::FieldError;
pub use permit::{FencePermit, OtherResource, carry};
pub use permits::{FencePermits, MAX_PERMITS, NotCarried, carry_all};
pub use problem::{PROBLEM_JSON, Problem};
pub use problem_type::{ForeignProblem, OwnProblem, ProblemType};
