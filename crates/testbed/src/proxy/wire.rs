//! The connections of the proxy.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::gate::{Gate, Passed};

/// More than a test sends at once.
const PIECE_BYTES: usize = 64 * 1024;

/// What all connections of one proxy share.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) requests: Gate,
    pub(super) replies: Gate,
    round_trips: AtomicU64,
    /// How many replies are still to be swallowed, each together with its connection.
    to_swallow: AtomicU64,
    /// Each new value ends all connections that were made before.
    cuts: watch::Sender<u64>,
    is_closed: AtomicBool,
}

/// Whether a call is on its way on one connection, and its reply has not begun.
#[derive(Debug, Default)]
struct Asked(AtomicBool);

impl Wire {
    pub(super) fn new() -> Wire {
        Wire {
            requests: Gate::open(),
            replies: Gate::open(),
            round_trips: AtomicU64::new(0),
            to_swallow: AtomicU64::new(0),
            cuts: watch::Sender::new(0),
            is_closed: AtomicBool::new(false),
        }
    }

    pub(super) fn round_trips(&self) -> u64 {
        self.round_trips.load(SeqCst)
    }

    pub(super) fn swallow(&self, replies: u64) {
        self.to_swallow.store(replies, SeqCst);
    }

    pub(super) fn to_swallow(&self) -> u64 {
        self.to_swallow.load(SeqCst)
    }

    pub(super) fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    pub(super) fn set_closed(&self, is_closed: bool) {
        self.is_closed.store(is_closed, SeqCst);
    }

    /// Whether this reply is one to swallow; counts it as swallowed.
    fn swallows(&self) -> bool {
        let one_less = |left: u64| left.checked_sub(1);
        let taken = self.to_swallow.fetch_update(SeqCst, SeqCst, one_less);
        taken.is_ok()
    }
}

/// Serves clients until it is aborted.
pub(super) async fn serve(listener: TcpListener, server: String, wire: Arc<Wire>) {
    loop {
        let client = match listener.accept().await {
            Ok((client, _)) => client,
            // The client was gone again: no concern of the next one.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(_) => return,
        };
        let mut cuts = wire.cuts.subscribe();
        if wire.is_closed.load(SeqCst) {
            continue; // Dropping the connection ends it.
        }
        let (server, wire) = (server.clone(), Arc::clone(&wire));
        tokio::spawn(async move {
            tokio::select! {
                // First, so that what was cut is lost also when the gate was opened right after.
                biased;
                _ = cuts.changed() => {}
                // A server that is down looks to the client as it is: the connection ends.
                _ = carry(client, &server, &wire) => {}
            }
        });
    }
}

async fn carry(client: TcpStream, server: &str, wire: &Wire) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let asked = Asked::default();
    // Either end takes the other one with it.
    tokio::select! {
        ended = requests(from_client, to_server, wire, &asked) => ended,
        ended = replies(from_server, to_client, wire, &asked) => ended,
    }
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    wire: &Wire,
    asked: &Asked,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    while let read @ 1.. = from.read(&mut piece).await? {
        let piece = &piece[..read];
        if is_call(piece[0]) && !asked.0.swap(true, SeqCst) {
            wire.round_trips.fetch_add(1, SeqCst);
        }
        pass(&wire.requests, piece, &mut to).await?;
    }
    Ok(())
}

async fn replies(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    wire: &Wire,
    asked: &Asked,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    while let read @ 1.. = from.read(&mut piece).await? {
        let piece = &piece[..read];
        let is_reply = !is_push(piece[0]) && asked.0.swap(false, SeqCst);
        if is_reply && wire.swallows() {
            return Ok(());
        }
        pass(&wire.replies, piece, &mut to).await?;
    }
    Ok(())
}

async fn pass(gate: &Gate, piece: &[u8], to: &mut OwnedWriteHalf) -> io::Result<()> {
    let passed = gate.passage(piece).await;
    to.write_all(piece).await?;
    if passed == Passed::AsTheLast {
        gate.hold();
    }
    Ok(())
}

/// Whether what begins so is a call: a command of Redis (`*`), or a statement that Postgres is to
/// parse (`P`) or to run with arguments (`B`). A pool's question whether a connection is alive
/// (`S`) is none.
fn is_call(first: u8) -> bool {
    matches!(first, b'*' | b'P' | b'B')
}

/// Whether what begins so is said by Redis without having been asked (a message of a channel).
fn is_push(first: u8) -> bool {
    first == b'>'
}
