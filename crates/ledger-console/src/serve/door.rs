//! Who is let in, and what browsers are told.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{StatusCode, uri::Authority};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// What every answer carries. The page runs and fetches its own files, and is shown inside no other.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// The names under which the page may be asked for.
#[derive(Debug, Clone)]
pub(super) struct Door {
    hosts: Arc<Vec<String>>,
    port: u16,
}

impl Door {
    /// The names of a page that listens at `at`: this machine's own for itself, that address, and `others`.
    pub(super) fn new(at: SocketAddr, others: &[String]) -> Door {
        let mut hosts = vec![
            "localhost".to_owned(),
            "127.0.0.1".to_owned(),
            "[::1]".to_owned(),
        ];
        hosts.push(match at {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        });
        hosts.extend(others.iter().map(|name| name.to_ascii_lowercase()));
        Door {
            hosts: Arc::new(hosts),
            port: at.port(),
        }
    }

    /// Whether this is what a browser asks for that was sent here on purpose.
    fn admits(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        let name = authority.host().to_ascii_lowercase();
        authority.port_u16().unwrap_or(80) == self.port && self.hosts.contains(&name)
    }
}

/// Lets in who asks by a known name, and gives every answer the headers.
pub(super) async fn keep(State(door): State<Door>, request: Request, next: Next) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let mut response = if host.is_some_and(|host| door.admits(host)) {
        next.run(request).await
    } else {
        let why = "this page is not served under that name: --host lets a name in\n";
        (StatusCode::MISDIRECTED_REQUEST, why).into_response()
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_another_site_is_turned_away() {
        let door = Door::new(([127, 0, 0, 1], 7707).into(), &["Ledger.test".to_owned()]);
        for host in [
            "127.0.0.1:7707",
            "localhost:7707",
            "LOCALHOST:7707",
            "[::1]:7707",
            "ledger.test:7707",
        ] {
            assert!(door.admits(host), "{host}");
        }
        for host in [
            "evil.example:7707",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil.example:7707",
            "",
            "a b:7707",
            "localhost:7707@evil.example",
            "evil.example",
        ] {
            assert!(!door.admits(host), "{host}");
        }
    }
}
