//! One request on one connection.

use std::net::SocketAddr;

use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper::header::HOST;
use hyper::{HeaderMap, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Puts a text to a path (and query) of a server, and reads the whole answer.
pub(crate) async fn put(
    server: SocketAddr,
    path: &str,
    headers: &HeaderMap,
    body: &str,
) -> anyhow::Result<Response<String>> {
    let stream = TcpStream::connect(server).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let mut request = Request::put(path.parse::<Uri>()?).body(body.to_owned())?;
    *request.headers_mut() = headers.clone();
    let host = server.to_string();
    request.headers_mut().insert(HOST, host.parse()?);

    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = body.collect().await?.to_bytes();
    drop(sender);
    connection.await??;
    Ok(Response::from_parts(head, String::from_utf8(body.into())?))
}
