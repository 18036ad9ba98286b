//! A problem as the answer to a request.

use std::error::Error;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use fence_guard::http::PROBLEM_JSON;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use serde::Serialize;
use tracing::field;

use super::Problem;
use crate::causes::Causes;
use crate::observe;

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
    held: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<i64>,
}

impl Problem {
    fn body(&self) -> String {
        let (kind, title, status) = self.profile();
        let (available, held, price) = match self {
            Problem::NoCredit {
                available,
                held,
                price,
                ..
            } => (Some(*available), Some(*held), Some(*price)),
            _ => (None, None, None),
        };
        let body = Body {
            r#type: format!("tag:dataset-service,2026:{kind}"),
            title,
            status: status.as_u16(),
            detail: self.to_string(),
            available,
            held,
            price,
        };
        serde_json::to_string(&body).expect("a problem is text and numbers")
    }

    /// What went wrong, which the customer is not told: once, where the answer is made. Of a problem without a cause the
    /// line of its request says all.
    fn log(&self) {
        const WHY: &str = "answered with a problem";
        let kind = self.kind();
        let error = self.source().map(|cause| field::display(Causes(cause)));
        match self {
            Problem::Internal(_) => tracing::error!(answer.kind = kind, error, "{WHY}"),
            Problem::Unavailable { .. } | Problem::Unknown(_) => {
                tracing::warn!(answer.kind = kind, error, "{WHY}");
            }
            Problem::Overtaken(refusal) => {
                tracing::warn!(answer.kind = kind, fence.refusal = %refusal, "{WHY}");
            }
            _ => {}
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.log();
        let mut response = (self.status(), self.body()).into_response();
        observe::answered(&mut response, self.kind());
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
