//! A TCP proxy in front of a server that holds, delays, loses and counts what passes through it.

mod gate;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use url::Url;

use wire::Wire;

/// A proxy on a loopback port in front of one Redis or Postgres. It ends with its handle, and all
/// its connections with it.
///
/// Each direction has a gate. What is held is passed on, in order, when the gate opens, or is lost
/// when the connections are cut: a reply that is held and then cut is a lost reply.
///
/// It looks into what passes only to count round trips and to find a text, so both need
/// connections without TLS; the rest works for any.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    wire: Arc<Wire>,
    listener: AbortHandle,
}

impl Proxy {
    /// A proxy in front of the server of this URL.
    ///
    /// # Panics
    /// When the URL names no host, or no port can be had: a test cannot go on without.
    pub async fn to(url: &str) -> Proxy {
        let server = host_and_port(&parsed(url));
        let listener = match TcpListener::bind(("127.0.0.1", 0)).await {
            Ok(listener) => listener,
            Err(error) => panic!("no port for a proxy: {error}"),
        };
        let address = match listener.local_addr() {
            Ok(address) => address,
            Err(error) => panic!("the proxy has no address: {error}"),
        };
        let wire = Arc::new(Wire::new());
        let serving = tokio::spawn(wire::serve(listener, server, Arc::clone(&wire)));
        Proxy {
            address,
            wire,
            listener: serving.abort_handle(),
        }
    }

    /// `url` with the proxy's address in place of the server's: scheme, user, database and
    /// parameters stay.
    ///
    /// # Panics
    /// When the URL names no host.
    pub fn url(&self, url: &str) -> String {
        let mut url = parsed(url);
        // Neither can fail for a URL that names a host.
        let _ = url.set_ip_host(self.address.ip());
        let _ = url.set_port(Some(self.address.port()));
        url.to_string()
    }

    /// How many round trips were begun so far: what a client sends before the next reply counts
    /// once, and so does what each of several connections sends.
    pub fn round_trips(&self) -> u64 {
        self.wire.round_trips()
    }

    /// Swallows the next replies. The server has executed what each of them answers; the client
    /// sees its connection end.
    pub fn swallow(&self, replies: u64) {
        self.wire.swallow(replies);
    }

    /// How many replies are still to be swallowed.
    pub fn to_swallow(&self) -> u64 {
        self.wire.to_swallow()
    }

    /// Nothing reaches the server from now on.
    pub fn hold_requests(&self) {
        self.wire.requests.hold();
    }

    /// Nothing that the server says reaches a client from now on; the connections stay.
    pub fn hold_replies(&self) {
        self.wire.replies.hold();
    }

    /// Nothing reaches the server from the first request on that holds `text`.
    pub fn hold_requests_from(&self, text: &'static str) {
        self.wire.requests.hold_from(text);
    }

    /// Nothing reaches the server after the first request that holds `text`.
    pub fn hold_requests_after(&self, text: &'static str) {
        self.wire.requests.hold_after(text);
    }

    /// Waits until requests are held.
    pub async fn caught(&self) {
        self.wire.requests.held().await;
    }

    /// Waits until a reply has been kept back: the server has executed what it answers.
    pub async fn kept_back(&self) {
        self.wire.replies.kept_back().await;
    }

    /// Everything that was held is passed on, and so is what comes.
    pub fn pass(&self) {
        self.wire.requests.pass();
        self.wire.replies.pass();
    }

    /// Requests are passed on; replies are held or not, as they were.
    pub fn pass_requests(&self) {
        self.wire.requests.pass();
    }

    /// What the server says takes so much longer.
    pub fn delay_replies(&self, delay: Duration) {
        self.wire.replies.set_delay(delay);
    }

    /// Ends all connections; what is held is lost. New ones are served.
    pub fn cut(&self) {
        self.wire.cut();
    }

    /// Ends all connections, and ends each new one at once, until [`reopen`](Self::reopen).
    pub fn close(&self) {
        self.wire.set_closed(true);
        self.cut();
    }

    /// Serves new connections again.
    pub fn reopen(&self) {
        self.wire.set_closed(false);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listener.abort();
        self.cut();
    }
}

fn parsed(url: &str) -> Url {
    match Url::parse(url) {
        Ok(parsed) if parsed.has_host() => parsed,
        // The text may hold a password.
        _ => panic!("a proxy needs the URL of a server, such as redis://127.0.0.1:6379/"),
    }
}

fn host_and_port(url: &Url) -> String {
    let usual = if url.scheme().starts_with("postgres") {
        5432
    } else {
        6379
    };
    let host = url.host_str().unwrap_or_default();
    format!("{host}:{}", url.port().unwrap_or(usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_address_of_a_url_is_replaced() {
        let proxy = Proxy::to("redis://127.0.0.1/").await;
        let port = proxy.address.port();
        assert_eq!(
            proxy.url("postgres://app:se%40cret@localhost:5432/credit?sslmode=disable"),
            format!("postgres://app:se%40cret@127.0.0.1:{port}/credit?sslmode=disable")
        );
    }

    #[test]
    fn a_url_without_a_port_means_the_usual_one_of_its_server() {
        let of = |url| host_and_port(&parsed(url));
        assert_eq!(of("redis://127.0.0.1/"), "127.0.0.1:6379");
        assert_eq!(of("postgres://app@[::1]/credit"), "[::1]:5432");
        assert_eq!(of("rediss://app:pw@localhost:7000/"), "localhost:7000");
    }
}
