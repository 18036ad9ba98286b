//! A TCP proxy in front of Redis that holds, delays and loses what passes through it.
//!
//! Each direction has a gate. What is held is passed on, in order, when the gate opens, or is lost
//! when the connections are cut: a reply that is held and then cut is a lost reply.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A proxy on a loopback port. It ends with its runtime.
pub(crate) struct Proxy {
    url: String,
    switches: Arc<Switches>,
}

struct Switches {
    requests: Gate,
    replies: Gate,
    /// Each new value ends all connections that were made before.
    cut: watch::Sender<u64>,
    refuse: watch::Sender<bool>,
}

/// One direction.
struct Gate {
    held: watch::Sender<bool>,
    delay: watch::Sender<Duration>,
    trap: Mutex<Option<Trap>>,
}

/// Closes a gate when this text comes by.
struct Trap {
    text: &'static str,
    /// Lets the text itself through.
    after: bool,
}

impl Proxy {
    /// In front of the server of a URL such as `redis://127.0.0.1:6379/`.
    pub(crate) async fn start(url: &str) -> Proxy {
        let server = url.strip_prefix("redis://").unwrap().trim_end_matches('/');
        let server = server.rsplit('@').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let switches = Arc::new(Switches {
            requests: Gate::open(),
            replies: Gate::open(),
            cut: watch::Sender::new(0),
            refuse: watch::Sender::new(false),
        });
        tokio::spawn(serve(listener, server, switches.clone()));
        Proxy {
            url: format!("redis://{address}/"),
            switches,
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Nothing reaches Redis from now on.
    pub(crate) fn hold_requests(&self) {
        self.switches.requests.held.send_replace(true);
    }

    /// Nothing that Redis says reaches the client from now on.
    pub(crate) fn hold_replies(&self) {
        self.switches.replies.held.send_replace(true);
    }

    /// Nothing reaches Redis from the first request on that holds `text`.
    pub(crate) fn hold_requests_from(&self, text: &'static str) {
        self.switches.requests.set_trap(text, false);
    }

    /// Nothing reaches Redis after the first request that holds `text`.
    pub(crate) fn hold_requests_after(&self, text: &'static str) {
        self.switches.requests.set_trap(text, true);
    }

    /// Waits until requests are held.
    pub(crate) async fn caught(&self) {
        let mut held = self.switches.requests.held.subscribe();
        held.wait_for(|held| *held).await.unwrap();
    }

    /// Everything that was held is passed on, and so is what comes.
    pub(crate) fn pass(&self) {
        self.switches.requests.held.send_replace(false);
        self.switches.replies.held.send_replace(false);
    }

    /// Requests are passed on; replies are held or not, as they were.
    pub(crate) fn pass_requests(&self) {
        self.switches.requests.held.send_replace(false);
    }

    /// What Redis says takes so much longer.
    pub(crate) fn delay_replies(&self, delay: Duration) {
        self.switches.replies.delay.send_replace(delay);
    }

    /// Ends all connections; what is held is lost. New ones are served.
    pub(crate) fn cut(&self) {
        self.switches.cut.send_modify(|cuts| *cuts += 1);
    }

    /// Ends all connections, and serves no new ones.
    pub(crate) fn close(&self) {
        self.switches.refuse.send_replace(true);
        self.cut();
    }
}

impl Gate {
    fn open() -> Gate {
        Gate {
            held: watch::Sender::new(false),
            delay: watch::Sender::new(Duration::ZERO),
            trap: Mutex::new(None),
        }
    }

    fn set_trap(&self, text: &'static str, after: bool) {
        *self.trap.lock().unwrap() = Some(Trap { text, after });
    }

    /// Whether the trap has caught this, and what was to happen then.
    fn caught(&self, bytes: &[u8]) -> Option<Trap> {
        let mut trap = self.trap.lock().unwrap();
        let text = trap.as_ref()?.text.as_bytes();
        let holds = bytes.windows(text.len()).any(|window| window == text);
        if holds { trap.take() } else { None }
    }

    async fn passes(&self) {
        let mut held = self.held.subscribe();
        held.wait_for(|held| !*held).await.unwrap();
    }
}

async fn serve(listener: TcpListener, server: String, switches: Arc<Switches>) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        if *switches.refuse.borrow() {
            continue; // dropping it closes it
        }
        let Ok(redis) = TcpStream::connect(&server).await else {
            continue;
        };
        client.set_nodelay(true).unwrap();
        redis.set_nodelay(true).unwrap();
        let mut cut = switches.cut.subscribe();
        let switches = switches.clone();
        tokio::spawn(async move {
            let (from_client, to_client) = client.into_split();
            let (from_redis, to_redis) = redis.into_split();
            tokio::select! {
                () = pump(from_client, to_redis, &switches.requests) => {}
                () = pump(from_redis, to_client, &switches.replies) => {}
                _ = cut.changed() => {}
            }
        });
    }
}

/// Carries one direction of one connection until it ends.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, gate: &Gate) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let trap = gate.caught(&bytes[..count]);
        if trap.as_ref().is_some_and(|trap| !trap.after) {
            gate.held.send_replace(true);
        }
        gate.passes().await;
        let delay = *gate.delay.borrow();
        tokio::time::sleep(delay).await;
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
        if trap.is_some_and(|trap| trap.after) {
            gate.held.send_replace(true);
        }
    }
}
