//! What the caller of a service is told when its request came to nothing.

use std::fmt;
use std::time::Duration;

use fence::{Fence, Floor, Reason, Refusal, Resource};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::problem_type::{OwnProblem, ProblemType};
use crate::error::Error;

/// The media type of a problem, `application/problem+json`.
pub const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// An answer that is a problem, as RFC 9457 writes it: `type`, `title`, `status`, `detail`, and for a refusal
/// `resource`, `reason`, `presented_fence` and `observed_fence`.
///
/// ```json
/// {"type": "tag:fence-guard,2026:stale", "title": "The holder was overtaken", "status": 409,
///  "detail": "stale: fence 1 of report:2026-11 was overtaken by 2; give this work up",
///  "resource": "report:2026-11", "reason": "stale", "presented_fence": "1", "observed_fence": "2"}
/// ```
///
/// The numbers are strings, as everywhere on a wire; `observed_fence` is the mark that the guard saw, `"0"` where
/// nothing was opened. No holder and nothing of what Postgres said is told; that goes to the service's own log, once,
/// when the answer is made.
///
/// Everything that can go wrong under a permit becomes one by `?`: [`Error`], [`StoreError`](crate::StoreError),
/// [`Refusal`], [`FieldError`](super::FieldError), [`OtherResource`](super::OtherResource),
/// [`NotCarried`](super::NotCarried), and a statement's [`sqlx::Error`], also where the trigger of a protected table
/// raised it.
#[derive(Debug)]
pub struct Problem {
    kind: ProblemType,
    detail: String,
    numbers: Option<Box<Numbers>>,
    retry_after: Option<Duration>,
    /// For the log alone.
    cause: Option<Box<Error>>,
}

#[derive(Debug)]
struct Numbers {
    resource: Resource,
    reason: Reason,
    presented: Fence,
    observed: Floor,
}

impl Problem {
    /// A problem that is none of the guard's, answered in the same form. `detail` says what happened this time, and
    /// what to do next; it goes to the caller.
    pub fn own(kind: OwnProblem, detail: impl Into<String>) -> Problem {
        Problem::new(ProblemType::Own(kind), detail)
    }

    /// What kind it is.
    pub fn kind(&self) -> ProblemType {
        self.kind
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.kind.status()
    }

    /// What happened this time, and what to do next.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// When to try again, in whole seconds of at least one; `None` where time alone mends nothing.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The whole answer. What the caller is not told is logged here.
    pub fn into_http(self) -> Response<String> {
        if let Some(cause) = &self.cause {
            tracing::error!(
                error = %cause,
                problem.kind = self.kind.uri(),
                "answered with a problem"
            );
        }
        let body = serde_json::to_string(&self).expect("a problem is a map of text and a number");
        let mut response = Response::new(body);
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, PROBLEM_JSON);
        // RFC 6585 forbids caches to keep a 428; the others are of the moment, too.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(after) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(after.as_secs()));
        }
        response
    }

    pub(super) fn new(kind: ProblemType, detail: impl Into<String>) -> Problem {
        Problem {
            kind,
            detail: detail.into(),
            numbers: None,
            retry_after: None,
            cause: None,
        }
    }

    pub(super) fn refused(refusal: &Refusal) -> Problem {
        let numbers = Numbers {
            resource: refusal.presented().resource().clone(),
            reason: refusal.reason(),
            presented: refusal.presented().fence(),
            observed: refusal.mark(),
        };
        Problem {
            numbers: Some(Box::new(numbers)),
            ..Problem::new(ProblemType::Refused(refusal.reason()), refusal.to_string())
        }
    }

    pub(super) fn after(self, retry_after: Duration) -> Problem {
        Problem {
            retry_after: Some(retry_after),
            ..self
        }
    }

    pub(super) fn because(self, cause: Error) -> Problem {
        Problem {
            cause: Some(Box::new(cause)),
            ..self
        }
    }
}

/// The members of RFC 9457, and those of a refusal.
impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("type", self.kind.uri())?;
        members.serialize_entry("title", self.kind.title())?;
        members.serialize_entry("status", &self.status().as_u16())?;
        members.serialize_entry("detail", &self.detail)?;
        if let Some(numbers) = &self.numbers {
            members.serialize_entry("resource", &numbers.resource)?;
            members.serialize_entry("reason", &numbers.reason)?;
            members.serialize_entry("presented_fence", &numbers.presented)?;
            members.serialize_entry("observed_fence", &numbers.observed)?;
        }
        members.end()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let cause = self.cause.as_deref()?;
        Some(cause)
    }
}
