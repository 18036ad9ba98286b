//! Why a request carries no permit that can be read.

use fence::{FenceOutOfRange, InvalidHolder, InvalidResource, Resource};

/// Why the `Fence-Permit` of a request was not read.
///
/// No message repeats what stands in the header as it stands there: half of it is a secret. What is named is a parameter
/// that nobody knows ([`UnknownParameter`](FieldError::UnknownParameter), its name without its value), and a resource, once
/// its line was read whole ([`SameResource`](FieldError::SameResource)). Neither the holder nor any other parameter's
/// value is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// There is none.
    #[error("the request has no fence-permit header; open first, and send the opening along")]
    Missing,
    /// There are several lines of it where one permit is taken: which one counts, nobody can tell.
    #[error("the request has {lines} fence-permit headers; send exactly one")]
    Repeated {
        /// How many.
        lines: usize,
    },
    /// There are more lines of it than one transaction can be admitted with.
    #[error("the request has {lines} fence-permit headers; send at most {max}", max = super::MAX_PERMITS)]
    TooMany {
        /// How many.
        lines: usize,
    },
    /// Two lines of it are of one resource: at most one of them can hold.
    #[error("the request has two fence-permit headers of {resource}; send one for each resource")]
    SameResource {
        /// Of which.
        resource: Resource,
    },
    /// It is longer than any that is written.
    #[error("the fence-permit header has {bytes} bytes; it has at most {max}", max = super::MAX_BYTES)]
    TooLong {
        /// How many it has.
        bytes: usize,
    },
    /// It is no structured field of RFC 9651.
    #[error("the fence-permit header is no structured item: {problem}")]
    Syntax {
        /// What is wrong, and at which byte.
        problem: String,
    },
    /// Its first part is no Display String.
    #[error(
        "the fence-permit header begins with the resource as a display string, such as %\"user:7\""
    )]
    NoResource,
    /// It has a parameter that is not known here.
    #[error(
        "the fence-permit header has the unknown parameter {name}; send the five that are documented"
    )]
    UnknownParameter {
        /// Its name.
        name: String,
    },
    /// A parameter is missing.
    #[error("the fence-permit header lacks the parameter {name}")]
    MissingParameter {
        /// Its name.
        name: &'static str,
    },
    /// A parameter stands there twice.
    #[error("the fence-permit header has the parameter {name} more than once")]
    DuplicateParameter {
        /// Its name.
        name: &'static str,
    },
    /// A parameter is of another type than the documented one.
    #[error(
        "the parameter {name} of the fence-permit header is of the wrong type; numbers are strings"
    )]
    WrongType {
        /// Its name.
        name: &'static str,
    },
    /// The resource is no possible name.
    #[error("the fence-permit header names no resource: {0}")]
    Resource(#[from] InvalidResource),
    /// The fence is no fence.
    #[error("the fence-permit header has no fence: {0}, in plain digits")]
    Fence(#[from] FenceOutOfRange),
    /// The holder is no holder.
    #[error("the fence-permit header has no holder: {0}")]
    Holder(#[from] InvalidHolder),
    /// `opening` or `valid_until_us` is no such number.
    #[error(
        "the parameter {name} of the fence-permit header is out of range, or not in plain digits"
    )]
    Number {
        /// The parameter's name.
        name: &'static str,
    },
    /// It means something, but is spelled in another way than the one that is written.
    #[error(
        "the fence-permit header is not in its one spelling; keep the parameters' order, add no space, encode no more than needed"
    )]
    Spelling,
}
