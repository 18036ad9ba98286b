//! A wire between a client and a server that counts calls, swallows a reply, and can be cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// The wire. It ends with its handle.
pub(crate) struct Proxy {
    address: SocketAddr,
    wire: Arc<Wire>,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct Wire {
    round_trips: AtomicU64,
    /// A call is on its way, and its reply has not begun.
    is_asked: AtomicBool,
    /// How many replies are still to be swallowed, each together with its connection.
    to_swallow: AtomicU64,
    /// Replies are kept back, and the connection stays.
    is_silent: AtomicBool,
    kept_back: Notify,
}

impl Proxy {
    /// A wire to the server of this URL.
    pub(crate) async fn to(url: &str) -> Proxy {
        let server = host_and_port(url).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let wire = Arc::new(Wire::default());
        let mut tasks = JoinSet::new();
        let shared = wire.clone();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, wire) = (server.clone(), shared.clone());
                connections.spawn(async move {
                    if let Ok(server) = TcpStream::connect(server).await {
                        carry(client, server, &wire).await;
                    }
                });
            }
        });
        Proxy {
            address,
            wire,
            _tasks: tasks,
        }
    }

    /// The URL by which the server is reached through this wire.
    pub(crate) fn url(&self, url: &str) -> String {
        url.replace(host_and_port(url), &self.address.to_string())
    }

    /// How many calls made a round trip so far.
    pub(crate) fn round_trips(&self) -> u64 {
        self.wire.round_trips.load(SeqCst)
    }

    /// Swallows the next replies. The server has executed what each of them answers; the client sees its
    /// connection end.
    pub(crate) fn swallow(&self, replies: u64) {
        self.wire.to_swallow.store(replies, SeqCst);
    }

    /// How many replies are still to be swallowed.
    pub(crate) fn to_swallow(&self) -> u64 {
        self.wire.to_swallow.load(SeqCst)
    }

    /// Keeps every reply back from now on; the connections stay.
    pub(crate) fn be_silent(&self) {
        self.wire.is_silent.store(true, SeqCst);
    }

    /// Returns when a reply has been kept back: the server has executed what it answers.
    pub(crate) async fn kept_back(&self) {
        self.wire.kept_back.notified().await;
    }
}

async fn carry(client: TcpStream, server: TcpStream, wire: &Wire) {
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // Either end takes the other one with it.
    tokio::select! {
        () = requests(from_client, to_server, wire) => {}
        () = replies(from_server, to_client, wire) => {}
    }
}

async fn requests(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, wire: &Wire) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if is_call(bytes[0]) && !wire.is_asked.swap(true, SeqCst) {
            wire.round_trips.fetch_add(1, SeqCst);
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

async fn replies(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, wire: &Wire) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let is_reply = wire.is_asked.swap(false, SeqCst);
        let swallow = |left: u64| left.checked_sub(1);
        let to_swallow = &wire.to_swallow;
        if is_reply && to_swallow.fetch_update(SeqCst, SeqCst, swallow).is_ok() {
            return;
        }
        if wire.is_silent.load(SeqCst) {
            wire.kept_back.notify_one();
            continue;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

/// Whether what begins so is a call: a command of Redis (`*`), or a statement that Postgres is to parse (`P`)
/// or to run with arguments (`B`). The pool's question whether a connection is alive (`S`) is none.
fn is_call(first: u8) -> bool {
    matches!(first, b'*' | b'P' | b'B')
}

/// `host:port` of a URL.
fn host_and_port(url: &str) -> &str {
    let after = url.split("://").nth(1).unwrap();
    let authority = after.split('/').next().unwrap();
    authority.rsplit('@').next().unwrap()
}
