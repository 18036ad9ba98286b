//! The server: hyper with bounds on everything that a client may be slow or long with.

use std::io;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

use crate::causes::Causes;
use crate::crowd::Crowd;

/// How long the head of a request may take to come in, from the end of the one before it.
const HEAD_WITHIN: Duration = Duration::from_secs(30);
/// The longest head, in bytes; a longer one is answered with 431.
const HEAD_BYTES: usize = 16 * 1024;
/// The most headers of a request.
const HEADERS: usize = 64;
/// After a failed accept: file descriptors are short, and come back with connections that end.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Serves until `until` is over, then accepts nobody, and returns when each connection has had the answer that it
/// waits for. Idle connections are closed then, and when others want their places.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    connections: usize,
    until: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS);
    let mut crowd = Crowd::of(connections);
    let mut until = std::pin::pin!(until);
    loop {
        // A place is taken for somebody who is there: for nobody no idle connection is closed.
        let accepted = async {
            let stream = accept(&listener).await?;
            io::Result::Ok((stream, crowd.place().await))
        };
        let accepted = tokio::select! {
            () = &mut until => break,
            accepted = accepted => accepted,
        };
        let (stream, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(error = %Causes(&error), "cannot accept");
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = crowd.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // It broke off, or was cut for being slow; the client knows.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    crowd.end().await;
}

async fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
