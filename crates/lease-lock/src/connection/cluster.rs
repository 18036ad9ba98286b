//! A Cluster.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::ConnectionLike;
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::{Arg, Cmd, ConnectionInfo, ErrorKind, FromRedisValue, ProtocolVersion, RedisError};
use redis::{RedisResult, ServerErrorKind, Value};
use tokio::sync::OnceCell;
use tokio::time::{sleep, timeout};

use super::deadline::{ANSWER_TIMEOUT, Deadline};
use super::view::{Node, View};
use super::{Ear, Repeat, disconnection, settings};
use crate::Servers;

/// Between two tries of a command that no node has run. A failover or a slot on the move takes much
/// longer than a round trip.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a node may take to accept a connection. While the library looks at who has which slot, all
/// calls wait for this.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a waiter may go without an answer. The library follows a new master by looks that hold every
/// call back, each for as long as a frozen node takes to be given up; several come one after the other. A
/// wait that ended by them would end although its new master is there.
pub(super) const SILENCE: Duration = Duration::from_secs(10);

/// How many nodes are asked who has which slot now, and for how long each.
const PROBES: usize = 4;
const PROBE_TIMEOUT: Duration = Duration::from_millis(250);

/// How often a connection is made to look for a new master.
const LOOKS: usize = 5;

/// A connection to each node. Commands go to the master of their slot.
#[derive(Clone)]
pub(super) struct Cluster(Arc<Inner>);

struct Inner {
    calls: ClusterConnection,
    /// Subscriptions have a connection of their own. A node from which a slot moves away ends a
    /// subscription unasked; redis-rs 1.8 takes that for the answer to the oldest call under way on the same
    /// connection, and every later answer would go to the wrong call.
    listener: ClusterClient,
    listening: OnceCell<ClusterConnection>,
    ear: Ear,
    /// Who has which slot, as both connections know it.
    view: Mutex<View>,
    is_probing: AtomicBool,
}

impl Cluster {
    pub(super) async fn open(urls: &[String], servers: &Servers, ear: Ear) -> RedisResult<Cluster> {
        let hear = ear.clone();
        let listener = builder(urls, servers)?.push_sender(move |push| {
            hear(push);
            Ok::<(), Infallible>(())
        });
        let calls = builder(urls, servers)?.build()?;
        let cluster = Cluster(Arc::new(Inner {
            calls: calls.get_async_connection().await?,
            listener: listener.build()?,
            listening: OnceCell::new(),
            ear,
            view: Mutex::default(),
            is_probing: AtomicBool::new(false),
        }));
        let view = cluster.ask_who_has_what().await?;
        *cluster.followed() = view;
        Ok(cluster)
    }

    /// Sends one command to the node that has the slot of its first key, until one has run it.
    pub(super) async fn send(
        &self,
        cmd: &Cmd,
        repeat: Repeat,
        deadline: Deadline,
    ) -> RedisResult<Value> {
        let answer = deadline.bound(self.until_run(cmd, repeat, deadline)).await;
        if answer.as_ref().is_err_and(RedisError::is_timeout) {
            self.look_elsewhere(key(cmd));
        }
        answer
    }

    async fn until_run(&self, cmd: &Cmd, repeat: Repeat, deadline: Deadline) -> RedisResult<Value> {
        let mut calls = self.0.calls.clone();
        loop {
            let answer = calls.req_packed_command(cmd).await;
            match answer.and_then(Value::extract_error) {
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::Ask) => {
                    match self.ask_there(&error, cmd).await {
                        Err(error) if wants_again(&error, repeat, deadline).await => {}
                        answer => return answer,
                    }
                }
                Err(error) if wants_again(&error, repeat, deadline).await => {}
                answer => return answer,
            }
        }
    }

    /// Its slot is on the move, and its key is there already: that node runs it when it is told that it
    /// was asked.
    async fn ask_there(&self, redirect: &RedisError, cmd: &Cmd) -> RedisResult<Value> {
        let unreadable = || RedisError::from((ErrorKind::Parse, "an ASK without a node"));
        let (address, _) = redirect.redirect_node().ok_or_else(unreadable)?;
        let (host, port) = address.rsplit_once(':').ok_or_else(unreadable)?;
        let there = SingleNodeRoutingInfo::ByAddress {
            host: host.to_owned(),
            port: port.parse().map_err(|_| unreadable())?,
        };
        let mut asking = redis::pipe();
        asking.cmd("ASKING").add_command(cmd.clone());
        let mut calls = self.0.calls.clone();
        let answers = calls.route_pipeline(asking, 0, 2, there).await?;
        let answer = answers.into_iter().nth(1).ok_or_else(unreadable)?;
        answer.extract_error()
    }

    /// The masters that have slots.
    pub(super) async fn masters(&self) -> RedisResult<Vec<Node>> {
        let deadline = Deadline::of_a_call_from_now();
        let view = deadline.bound(self.ask_who_has_what()).await?;
        Ok(view.masters())
    }

    pub(super) async fn send_to(&self, host: &str, port: u16, cmd: &Cmd) -> RedisResult<Value> {
        let node = SingleNodeRoutingInfo::ByAddress {
            host: host.to_owned(),
            port,
        };
        let mut calls = self.0.calls.clone();
        let answer = calls.route_command(cmd.clone(), RoutingInfo::SingleNode(node));
        let deadline = Deadline::of_a_call_from_now();
        deadline.bound(answer).await?.extract_error()
    }

    /// Listens to a shard channel on the node that has its slot.
    pub(super) async fn subscribe(&self, channel: &str, deadline: Deadline) -> RedisResult<()> {
        let subscribed = async {
            let connect = || self.0.listener.get_async_connection();
            let mut listening = self.0.listening.get_or_try_init(connect).await?.clone();
            loop {
                match listening.ssubscribe(channel).await {
                    Err(error) if wants_again(&error, Repeat::Harmless, deadline).await => {}
                    answer => return answer,
                }
            }
        };
        let answer = deadline.bound(subscribed).await;
        if answer.as_ref().is_err_and(RedisError::is_timeout) {
            self.look_elsewhere(channel.as_bytes().to_vec());
        }
        answer
    }

    /// The node may be frozen, and its slots have another master by now, of which nobody told: the
    /// library looks only when a node says that a slot has moved. So other nodes are asked, by one task
    /// at a time.
    fn look_elsewhere(&self, key: Vec<u8>) {
        if self.0.is_probing.swap(true, SeqCst) {
            return;
        }
        let cluster = self.clone();
        tokio::spawn(async move {
            for _ in 0..PROBES {
                let asked = timeout(PROBE_TIMEOUT, cluster.ask_for(&key)).await;
                let Ok(Ok((slot, view))) = asked else {
                    continue;
                };
                // A look costs all calls the time to connect to a node that does not answer: it is not
                // worth that while the same master has the slot.
                let is_new = cluster.followed().master_of(slot) != view.master_of(slot);
                if is_new && cluster.follow(&key).await {
                    *cluster.followed() = view;
                }
                break;
            }
            cluster.0.is_probing.store(false, SeqCst);
        });
    }

    /// Makes both connections find the new master, and those who wait ask again.
    async fn follow(&self, key: &[u8]) -> bool {
        let mut found = look_anew(&self.0.calls, key).await;
        if let Some(listening) = self.0.listening.get() {
            found &= look_anew(listening, key).await;
            if found {
                (self.0.ear)(disconnection());
            }
        }
        found
    }

    /// The slot of a key, and who has which slot, as some node says.
    async fn ask_for(&self, key: &[u8]) -> RedisResult<(u16, View)> {
        let mut slot = redis::cmd("CLUSTER");
        slot.arg("KEYSLOT").arg(key);
        let anywhere = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
        let slot = self.0.calls.clone().route_command(slot, anywhere).await?;
        Ok((u16::from_redis_value(slot)?, self.ask_who_has_what().await?))
    }

    async fn ask_who_has_what(&self) -> RedisResult<View> {
        let mut slots = redis::cmd("CLUSTER");
        slots.arg("SLOTS");
        let anywhere = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
        View::read(self.0.calls.clone().route_command(slots, anywhere).await?)
    }

    fn followed(&self) -> MutexGuard<'_, View> {
        self.0.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a connection look who has which slot, until the master of this key answers. A node that does not
/// have the slot says so, and that makes the library look; but it may say so of the old master, and the
/// library may have asked one that knows no better.
async fn look_anew(connection: &ClusterConnection, key: &[u8]) -> bool {
    let mut connection = connection.clone();
    let mut exists = redis::cmd("EXISTS");
    exists.arg(key);
    for _ in 0..LOOKS {
        for _ in 0..PROBES {
            let anywhere = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
            let asked = connection.route_command(exists.clone(), anywhere);
            let is_moved =
                |error: &RedisError| error.kind() == ErrorKind::Server(ServerErrorKind::Moved);
            if matches!(timeout(PROBE_TIMEOUT, asked).await, Ok(Err(error)) if is_moved(&error)) {
                break;
            }
        }
        // A look that comes across a frozen node takes longer than a call waits.
        let asked = connection.req_packed_command(&exists);
        let answer = timeout(2 * ANSWER_TIMEOUT, asked).await;
        if answer.is_ok_and(|answer| answer.and_then(Value::extract_error).is_ok()) {
            return true;
        }
    }
    false
}

fn builder(urls: &[String], servers: &Servers) -> RedisResult<ClusterClientBuilder> {
    let infos = urls
        .iter()
        .map(|url| settings::info(url, servers.login.as_ref()));
    let infos = infos.collect::<RedisResult<Vec<ConnectionInfo>>>()?;
    #[cfg(feature = "tls")]
    let is_tls = infos.iter().any(super::tls::is_wanted);
    let builder = ClusterClientBuilder::new(infos)
        .use_protocol(ProtocolVersion::RESP3)
        .tcp_settings(settings::tcp(Default::default()))
        // The library would also repeat what was sent and not answered. What no node has run is repeated
        // here instead.
        .retries(0)
        .response_timeout(ANSWER_TIMEOUT)
        .connection_timeout(CONNECT_TIMEOUT);
    #[cfg(feature = "tls")]
    if is_tls {
        return Ok(builder.certs(super::tls::certificates(servers)));
    }
    Ok(builder)
}

/// The first key of a command: of a script the third argument, of any other command the first.
fn key(cmd: &Cmd) -> Vec<u8> {
    let is_script = matches!(
        cmd.args_iter().next(),
        Some(Arg::Simple(b"EVALSHA" | b"EVAL"))
    );
    match cmd.args_iter().nth(if is_script { 3 } else { 1 }) {
        Some(Arg::Simple(key)) => key.to_vec(),
        _ => Vec::new(),
    }
}

/// Whether to send it again: no node has run it, or it may run twice. Waits a little before.
async fn wants_again(error: &RedisError, repeat: Repeat, deadline: Deadline) -> bool {
    use ServerErrorKind::{Ask, BusyLoading, ClusterDown, MasterDown, Moved, ReadOnly, TryAgain};
    let again = match error.kind() {
        // Its slot is elsewhere, on the move, or without a master.
        ErrorKind::Server(
            Moved | Ask | TryAgain | ClusterDown | MasterDown | BusyLoading | ReadOnly,
        ) => true,
        // There was no connection. The library also gives this answer to what was under way when a look
        // at who has which slot failed: that may have run.
        ErrorKind::ClusterConnectionNotFound => repeat == Repeat::Harmless,
        _ => error.is_connection_refusal() && repeat == Repeat::Harmless,
    };
    // The call is to say what was wrong, and not that it took too long.
    let again = again && deadline.leaves(2 * PAUSE);
    if again {
        tracing::debug!(
            error = error as &dyn std::error::Error,
            "not run; once more"
        );
        sleep(PAUSE).await;
    }
    again
}
