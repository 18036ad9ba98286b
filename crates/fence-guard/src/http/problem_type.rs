//! The kinds of problems, each with its URI, its status and its title.

use std::fmt;
use std::str::FromStr;

use fence::Reason;
use http::StatusCode;

/// What kind of problem it is: the `type` of RFC 9457, and all that goes with it.
///
/// | `type` | status | what its receiver does |
/// | --- | --- | --- |
/// | `tag:fence-guard,2026:stale` | 409 | overtaken: gives the work up |
/// | `tag:fence-guard,2026:not-open` | 409 | opens before the first read |
/// | `tag:fence-guard,2026:conflict` | 409 | remints above `observed_fence` |
/// | `tag:fence-guard,2026:closed` | 409 | acquires and opens again |
/// | `tag:fence-guard,2026:busy` | 409, `Retry-After` | tries again then |
/// | `tag:fence-guard,2026:blocked` | 503, `Retry-After` | tries again; nothing was written |
/// | `tag:fence-guard,2026:unavailable` | 503 | tries again; nothing was written |
/// | `tag:fence-guard,2026:unknown` | 500 | looks, or sends the same request id again |
/// | `tag:fence-guard,2026:internal` | 500 | nothing; the service is to be mended |
/// | `tag:fence-guard,2026:permit-missing` | 428 | sends the opening along |
/// | `tag:fence-guard,2026:permit-malformed` | 400 | is to be mended |
/// | `tag:fence-guard,2026:other-resource` | 400 | is to be mended |
///
/// The URIs are names that never change, to be compared byte by byte, and nothing to be fetched: `tag:` URIs
/// (RFC 4151), as RFC 9457 suggests for types without a page of their own.
///
/// Why these: a refusal is a *conflict with the current state of the resource* (RFC 9110, 15.5.10). So is a resource that
/// is busy: this service is well, and 503 would have it taken out of rotation. A request without its permit
/// lacks a *precondition* that keeps it from overwriting somebody else's work: that is what 428 is for (RFC 6585, 3).
/// Unknown is 500 and not 503 or 504, which proxies send again by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemType {
    /// The guard refused the permit.
    Refused(Reason),
    /// Another holder's opening keeps the resource until a certain time.
    Busy,
    /// Writers in flight kept the resource locked for too long.
    Blocked,
    /// The database said no, or did not answer; nothing was written.
    Unavailable,
    /// A reply was lost: applied or not, nobody knows.
    Unknown,
    /// The service called its database wrongly, or does not understand its answer.
    Internal,
    /// The request carries no permit.
    PermitMissing,
    /// The request's permit cannot be read.
    PermitMalformed,
    /// The request's permit, or each of its permits, is of another resource than the request.
    OtherResource,
    /// None of the guard's: of a crate on top of it, such as a ledger, or of a service.
    Own(OwnProblem),
}

/// A kind of problem of a crate on top of the guard, or of a service: what RFC 9457 wants to know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnProblem {
    /// The `type`: a URI that never changes, under a name of your own.
    pub uri: &'static str,
    /// The `title`, the same for every occurrence.
    pub title: &'static str,
    /// The status of the answer.
    pub status: StatusCode,
}

/// A URI that is no type of this crate's problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no problem of the guard; treat it by its status")]
pub struct ForeignProblem;

impl ProblemType {
    /// Every one of the guard's.
    pub const ALL: [ProblemType; 12] = [
        ProblemType::Refused(Reason::Stale),
        ProblemType::Refused(Reason::NotOpen),
        ProblemType::Refused(Reason::Conflict),
        ProblemType::Refused(Reason::Closed),
        ProblemType::Busy,
        ProblemType::Blocked,
        ProblemType::Unavailable,
        ProblemType::Unknown,
        ProblemType::Internal,
        ProblemType::PermitMissing,
        ProblemType::PermitMalformed,
        ProblemType::OtherResource,
    ];

    /// The `type`: a URI that never changes.
    pub const fn uri(self) -> &'static str {
        match self {
            ProblemType::Refused(Reason::Stale) => "tag:fence-guard,2026:stale",
            ProblemType::Refused(Reason::NotOpen) => "tag:fence-guard,2026:not-open",
            ProblemType::Refused(Reason::Conflict) => "tag:fence-guard,2026:conflict",
            ProblemType::Refused(Reason::Closed) => "tag:fence-guard,2026:closed",
            ProblemType::Busy => "tag:fence-guard,2026:busy",
            ProblemType::Blocked => "tag:fence-guard,2026:blocked",
            ProblemType::Unavailable => "tag:fence-guard,2026:unavailable",
            ProblemType::Unknown => "tag:fence-guard,2026:unknown",
            ProblemType::Internal => "tag:fence-guard,2026:internal",
            ProblemType::PermitMissing => "tag:fence-guard,2026:permit-missing",
            ProblemType::PermitMalformed => "tag:fence-guard,2026:permit-malformed",
            ProblemType::OtherResource => "tag:fence-guard,2026:other-resource",
            ProblemType::Own(own) => own.uri,
        }
    }

    /// The `title`, the same for every occurrence.
    pub const fn title(self) -> &'static str {
        match self {
            ProblemType::Refused(Reason::Stale) => "The holder was overtaken",
            ProblemType::Refused(Reason::NotOpen) => "The resource was not opened under this fence",
            ProblemType::Refused(Reason::Conflict) => "Another holder has opened this fence",
            ProblemType::Refused(Reason::Closed) => "The opening was closed by its holder",
            ProblemType::Busy => "The resource is opened by another holder",
            ProblemType::Blocked => "The resource is locked by writes in flight",
            ProblemType::Unavailable => "Nothing was written",
            ProblemType::Unknown => "It is unknown whether this was applied",
            ProblemType::Internal => "The service failed",
            ProblemType::PermitMissing => "The request carries no permit",
            ProblemType::PermitMalformed => "The request's permit cannot be read",
            ProblemType::OtherResource => "The request's permit is of another resource",
            ProblemType::Own(own) => own.title,
        }
    }

    /// The status of the answer.
    pub const fn status(self) -> StatusCode {
        match self {
            ProblemType::Refused(_) | ProblemType::Busy => StatusCode::CONFLICT,
            ProblemType::Blocked | ProblemType::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            ProblemType::Unknown | ProblemType::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            ProblemType::PermitMissing => StatusCode::PRECONDITION_REQUIRED,
            ProblemType::PermitMalformed | ProblemType::OtherResource => StatusCode::BAD_REQUEST,
            ProblemType::Own(own) => own.status,
        }
    }
}

impl fmt::Display for ProblemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.uri())
    }
}

impl FromStr for ProblemType {
    type Err = ForeignProblem;

    /// Reads the `type` of an answer.
    fn from_str(uri: &str) -> Result<ProblemType, ForeignProblem> {
        ProblemType::ALL
            .into_iter()
            .find(|kind| kind.uri() == uri)
            .ok_or(ForeignProblem)
    }
}
