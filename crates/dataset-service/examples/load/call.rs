//! One request on one connection, as a customer sends it.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper::header::{HOST, RETRY_AFTER};
use hyper::{HeaderMap, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// What a server answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// A query that a customer asks: the same however often it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) user: String,
    pub(crate) dataset: String,
    /// The value of `Idempotency-Key`.
    pub(crate) key: String,
    /// The body.
    pub(crate) body: String,
}

impl Ask {
    /// Asks an instance, and waits so long at most.
    pub(crate) async fn of(&self, server: SocketAddr, within: Duration) -> anyhow::Result<Answer> {
        let path = format!("/users/{}/datasets/{}/queries", self.user, self.dataset);
        let request = Request::post(path)
            .header("idempotency-key", &self.key)
            .header("content-type", "application/json")
            .body(self.body.clone())?;
        send(server, request, within).await
    }
}

#[allow(
    dead_code,
    reason = "the tests of the service read these, the load does not"
)]
impl Answer {
    /// The body as JSON; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// `Retry-After`, in whole seconds.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let seconds = self.headers.get(RETRY_AFTER)?.to_str().ok()?;
        Some(Duration::from_secs(seconds.parse().ok()?))
    }
}

/// Gets a path of a server.
pub(crate) async fn get(
    server: SocketAddr,
    path: &str,
    within: Duration,
) -> anyhow::Result<Answer> {
    send(server, Request::get(path).body(String::new())?, within).await
}

/// Sends a request, and waits so long at most for the whole answer.
pub(crate) async fn send(
    server: SocketAddr,
    request: Request<String>,
    within: Duration,
) -> anyhow::Result<Answer> {
    timeout(within, exchange(server, request))
        .await
        .context("no answer in time")?
}

async fn exchange(server: SocketAddr, mut request: Request<String>) -> anyhow::Result<Answer> {
    let stream = TcpStream::connect(server).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    request
        .headers_mut()
        .insert(HOST, server.to_string().parse()?);
    let answered = async {
        let (head, body) = sender.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        anyhow::Ok(Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: String::from_utf8(body.into())?,
        })
    };
    let answer = answered.await;
    // The connection ends with its sender, and has nothing to say that the answer does not.
    drop(sender);
    connection.abort();
    answer
}
