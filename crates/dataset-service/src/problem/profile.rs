//! What each kind of problem is called, and its status.

use http::StatusCode;

use super::Problem;
use crate::KeyError;

impl Problem {
    /// Kind, title and status.
    pub(super) fn profile(&self) -> (&'static str, &'static str, StatusCode) {
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
            Problem::BrokenBody(_) => ("broken-body", "The query broke off", S::BAD_REQUEST),
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
}
