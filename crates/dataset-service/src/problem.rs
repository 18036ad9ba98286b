//! What a customer is told when a query came to nothing, as RFC 9457 writes it.

use std::error::Error;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use credit_ledger::StoreError;
use fence_guard::http::{PROBLEM_JSON, ProblemType};
use fenced_section::{EnterError, Lost, Refusal};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::{InvalidId, InvalidQuery, KeyError, figures};

/// A moment after which the same request may fare better.
const SOON: Duration = Duration::from_secs(1);

/// The members of RFC 9457, and those of [`Problem::NoCredit`].
#[derive(Serialize)]
struct Body {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    available: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<i64>,
}

type Cause = Box<dyn Error + Send + Sync>;

/// Why there is no answer. Nothing was charged for a request that hears one of these, save that
/// [`Unknown`](Problem::Unknown) may have been: the same request with the same key finds out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// 400: a query without a key, or with none that can be read.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// 400: a user or dataset that cannot be one.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// 400: a body that asks nothing.
    #[error(transparent)]
    Query(#[from] InvalidQuery),
    /// 413: a body that is too long for a query.
    #[error("a query has at most {bytes} bytes")]
    TooLarge {
        /// The bound.
        bytes: usize,
    },
    /// 408: a body that did not come in time.
    #[error("the query did not arrive within {} s; send it again", .within.as_secs())]
    TooSlow {
        /// The bound.
        within: Duration,
    },
    /// 404: nothing is served there.
    #[error("nothing is served at this path")]
    NoSuchPath,
    /// 405: not by this method.
    #[error("this path is not served by this method")]
    NoSuchMethod,
    /// 422: the key was used for another query.
    #[error("this Idempotency-Key was used for another query; take a new key for a new query")]
    KeyReused,
    /// 409: somebody works on the same dataset of the same user, perhaps on this very query.
    #[error("another query for this dataset is in flight; retry shortly")]
    InFlight {
        /// When it may be over.
        retry_after: Duration,
    },
    /// 409: another instance took the dataset over before this one could charge; it was refused, as a row.
    #[error(
        "this query was overtaken by another for this dataset, nothing was charged; retry with the same key"
    )]
    Overtaken(Refusal),
    /// 402: the credits that are not spoken for do not cover the price.
    #[error("the price of a query is {price}, and {available} credits are available; buy credits")]
    NoCredit {
        /// What the account has, less what is held for queries in flight.
        available: i64,
        /// What a query costs.
        price: i64,
    },
    /// 404: nobody has opened an account for this user.
    #[error("there is no account of this user")]
    NoAccount,
    /// 403: the account is frozen or closed.
    #[error("the account of this user is {state}; it pays for nothing")]
    AccountShut {
        /// `frozen` or `closed`.
        state: &'static str,
    },
    /// 504: the query was stopped.
    #[error("the query took longer than {} ms and was stopped, nothing was charged; ask for fewer days", .limit.as_millis())]
    QueryTooLong {
        /// The bound.
        limit: Duration,
    },
    /// 503: the lease ended before the query did.
    #[error("the query outlived its lease, nothing was charged; retry with the same key")]
    LeaseLost(#[from] Lost),
    /// 503: the hold on the credits ended before the query did.
    #[error(
        "the credits that were held for this query were given back, nothing was charged; retry with the same key"
    )]
    HoldGone,
    /// 503: Postgres may have charged and answered, or not.
    #[error(
        "it is unknown whether this query was answered; send it again with the same key, it is charged once"
    )]
    Unknown(#[source] Cause),
    /// 503: Redis, Postgres or the dataset does not answer.
    #[error("{what} does not answer, nothing was charged; retry with the same key")]
    Unavailable {
        /// Which of them.
        what: &'static str,
        /// What it said, for the log.
        #[source]
        cause: Cause,
    },
    /// 503: as many queries are in flight as this instance takes.
    #[error("this instance has all the queries that it takes; retry with the same key")]
    Full,
    /// 503: this instance is being stopped.
    #[error("this instance is being stopped, nothing was charged; retry with the same key")]
    Stopping,
    /// 500: the service is to be mended.
    #[error("the service failed, nothing was charged; its log says more")]
    Internal(#[source] Cause),
}

impl Problem {
    /// A word for the log, the figures and the `type`, which never changes.
    pub fn kind(&self) -> &'static str {
        self.profile().0
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.profile().2
    }

    /// When to try again; `None` where time alone mends nothing.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Problem::InFlight { retry_after } => Some(*retry_after),
            Problem::Overtaken(_) => Some(SOON),
            _ if self.status() == StatusCode::SERVICE_UNAVAILABLE => Some(SOON),
            _ => None,
        }
    }

    /// Whether the instance that has taken over may have answered the same request by now.
    pub(crate) fn may_be_answered_elsewhere(&self) -> bool {
        matches!(
            self,
            Problem::Overtaken(_) | Problem::LeaseLost(_) | Problem::HoldGone | Problem::Unknown(_)
        )
    }

    /// Whether credits may be held still for a query that came to this: they are, unless nothing was held, or what
    /// was is known to have ended.
    pub(crate) fn may_leave_a_hold(&self) -> bool {
        match self {
            Problem::LeaseLost(_)
            | Problem::QueryTooLong { .. }
            | Problem::Unknown(_)
            | Problem::Unavailable { .. }
            | Problem::Stopping
            | Problem::Internal(_)
            // Frozen while it was held.
            | Problem::AccountShut { .. } => true,
            // Void, as soon as it is overtaken; of the others none was held.
            _ => false,
        }
    }

    /// A failure that nobody outside can do anything about.
    pub(crate) fn internal(cause: impl Into<Cause>) -> Problem {
        Problem::Internal(cause.into())
    }

    /// Kind, title and status.
    fn profile(&self) -> (&'static str, &'static str, StatusCode) {
        use StatusCode as S;
        match self {
            Problem::Key(KeyError::Missing) => (
                "key-missing",
                "The request carries no Idempotency-Key",
                S::BAD_REQUEST,
            ),
            Problem::Key(_) => (
                "key-malformed",
                "The Idempotency-Key cannot be read",
                S::BAD_REQUEST,
            ),
            Problem::Id(_) => (
                "bad-id",
                "There can be no such user or dataset",
                S::BAD_REQUEST,
            ),
            Problem::Query(_) => ("bad-query", "The query cannot be read", S::BAD_REQUEST),
            Problem::TooLarge { .. } => {
                ("too-large", "The query is too long", S::PAYLOAD_TOO_LARGE)
            }
            Problem::TooSlow { .. } => {
                ("too-slow", "The query came too slowly", S::REQUEST_TIMEOUT)
            }
            Problem::NoSuchPath => ("no-such-path", "Not found", S::NOT_FOUND),
            Problem::NoSuchMethod => (
                "no-such-method",
                "Method not allowed",
                S::METHOD_NOT_ALLOWED,
            ),
            Problem::KeyReused => (
                "key-reused",
                "The Idempotency-Key was used for another query",
                S::UNPROCESSABLE_ENTITY,
            ),
            Problem::InFlight { .. } => ("in-flight", "Another query is in flight", S::CONFLICT),
            Problem::Overtaken(_) => ("overtaken", "The query was overtaken", S::CONFLICT),
            Problem::NoCredit { .. } => ("no-credit", "Not enough credits", S::PAYMENT_REQUIRED),
            Problem::NoAccount => ("no-account", "There is no account", S::NOT_FOUND),
            Problem::AccountShut { .. } => {
                ("account-shut", "The account pays for nothing", S::FORBIDDEN)
            }
            Problem::QueryTooLong { .. } => (
                "query-too-long",
                "The query was stopped",
                S::GATEWAY_TIMEOUT,
            ),
            Problem::LeaseLost(_) => (
                "lease-lost",
                "The query outlived its lease",
                S::SERVICE_UNAVAILABLE,
            ),
            Problem::HoldGone => (
                "hold-gone",
                "The query outlived its hold",
                S::SERVICE_UNAVAILABLE,
            ),
            Problem::Unknown(_) => (
                "unknown",
                "It is unknown whether this was answered",
                S::SERVICE_UNAVAILABLE,
            ),
            Problem::Unavailable { .. } => (
                "unavailable",
                "A server does not answer",
                S::SERVICE_UNAVAILABLE,
            ),
            Problem::Full => ("full", "Too many queries at once", S::SERVICE_UNAVAILABLE),
            Problem::Stopping => (
                "stopping",
                "The instance is being stopped",
                S::SERVICE_UNAVAILABLE,
            ),
            Problem::Internal(_) => ("internal", "The service failed", S::INTERNAL_SERVER_ERROR),
        }
    }

    fn body(&self) -> String {
        let (kind, title, status) = self.profile();
        let (available, price) = match self {
            Problem::NoCredit { available, price } => (Some(*available), Some(*price)),
            _ => (None, None),
        };
        let body = Body {
            r#type: format!("tag:dataset-service,2026:{kind}"),
            title,
            status: status.as_u16(),
            detail: self.to_string(),
            available,
            price,
        };
        serde_json::to_string(&body).expect("a problem is text and numbers")
    }

    /// What the customer is not told, once, where the answer is made.
    fn log(&self) {
        let kind = self.kind();
        let cause = self.source().map(|cause| cause as &dyn Error);
        match self {
            Problem::Internal(_) => tracing::error!(
                problem.kind = kind,
                error = cause,
                "answered with a problem"
            ),
            Problem::Unavailable { .. } | Problem::Unknown(_) => {
                tracing::warn!(
                    problem.kind = kind,
                    error = cause,
                    "answered with a problem"
                );
            }
            Problem::Overtaken(refusal) => {
                tracing::warn!(problem.kind = kind, fence.refusal = %refusal, "answered with a problem");
            }
            _ => tracing::debug!(problem.kind = kind, detail = %self, "answered with a problem"),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.log();
        figures::answered(self.kind());
        let mut response = (self.status(), self.body()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, PROBLEM_JSON);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(after) = self.retry_after() {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds(after)));
        }
        response
    }
}

/// `Retry-After` counts in whole seconds: rounded up, at least one.
fn whole_seconds(time: Duration) -> u64 {
    let rounded_up = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    rounded_up.max(1)
}

/// The guard's crate knows which failures of Postgres may pass; that judgement is taken over from its problems.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let text = error.to_string();
        match fence_guard::http::Problem::from(error).kind() {
            ProblemType::Unknown => Problem::Unknown(text.into()),
            ProblemType::Unavailable => Problem::Unavailable {
                what: "Postgres",
                cause: text.into(),
            },
            _ => Problem::internal(text),
        }
    }
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Problem {
        StoreError::from(error).into()
    }
}

impl From<fence_guard::Error> for Problem {
    fn from(error: fence_guard::Error) -> Problem {
        EnterError::from(error).into()
    }
}

impl From<EnterError> for Problem {
    fn from(error: EnterError) -> Problem {
        match error {
            EnterError::Held { remaining, .. } => Problem::InFlight {
                retry_after: remaining,
            },
            EnterError::Contended(_) | EnterError::Blocked { .. } => {
                Problem::InFlight { retry_after: SOON }
            }
            EnterError::Busy { until } => {
                // By this host's clock against the database's: a hint.
                let left = until - sqlx::types::time::OffsetDateTime::now_utc();
                Problem::InFlight {
                    retry_after: Duration::try_from(left).unwrap_or(SOON),
                }
            }
            EnterError::Lost(lost) => Problem::LeaseLost(lost),
            EnterError::Refused(refusal) => Problem::Overtaken(refusal),
            EnterError::Postgres(error) => error.into(),
            EnterError::Redis(cause) => Problem::Unavailable {
                what: "Redis",
                cause: cause.into(),
            },
            other => Problem::internal(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_of_a_second_is_a_second() {
        for (millis, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (59_999, 60)] {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds);
        }
    }
}
