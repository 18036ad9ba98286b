//! A Cluster.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use redis::aio::ConnectionLike;
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::{Arg, FromRedisValue, ServerErrorKind, Value};
use redis::{Cmd, ConnectionInfo, ErrorKind, ProtocolVersion, RedisError, RedisResult};
use tokio::time::{sleep, timeout};

use super::{ANSWER_TIMEOUT, Ear, settings};
use crate::Servers;

/// Between two tries of a command that no node has run. A failover or a slot on the move takes much
/// longer than a round trip.
const PAUSE: Duration = Duration::from_millis(25);

/// How many nodes are asked who has a slot now, and for how long each.
const PROBES: usize = 3;
const PROBE_TIMEOUT: Duration = Duration::from_millis(250);

/// Where a command is sent that has no key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    /// There is but one.
    Only,
    /// A node of a Cluster.
    Of { host: String, port: u16 },
}

/// For how long a command is sent again that no node has run.
struct Patience {
    until: Instant,
}

/// A connection to each node. Commands go to the master of their slot.
#[derive(Clone)]
pub(super) struct Cluster {
    connection: ClusterConnection,
}

impl Cluster {
    pub(super) async fn open(urls: &[String], servers: &Servers, ear: Ear) -> RedisResult<Cluster> {
        let infos = urls
            .iter()
            .map(|url| settings::info(url, servers.login.as_ref()));
        let infos = infos.collect::<RedisResult<Vec<ConnectionInfo>>>()?;
        #[cfg(feature = "tls")]
        let is_tls = infos.iter().any(super::tls::is_wanted);
        let builder = ClusterClientBuilder::new(infos)
            .use_protocol(ProtocolVersion::RESP3)
            .tcp_settings(settings::tcp(Default::default()))
            // The library would also repeat what was sent and not answered. Only what no node has run is
            // repeated here, in `send`.
            .retries(0)
            // So that a frozen node does not hold up a look at who has which slot.
            .response_timeout(ANSWER_TIMEOUT)
            .connection_timeout(ANSWER_TIMEOUT)
            .push_sender(move |push| {
                ear(push);
                Ok::<(), Infallible>(())
            });
        #[cfg(feature = "tls")]
        let builder = match is_tls {
            true => builder.certs(super::tls::certificates(servers)),
            false => builder,
        };
        let connection = builder.build()?.get_async_connection().await?;
        Ok(Cluster { connection })
    }

    /// Sends one command to the node that has the slot of its first key, until one has run it.
    pub(super) async fn send(&self, cmd: &Cmd) -> RedisResult<Value> {
        let mut connection = self.connection.clone();
        let patience = Patience::starting_now();
        loop {
            let answer = connection.req_packed_command(cmd).await;
            match answer.and_then(Value::extract_error) {
                Err(error) if patience.wants_again(&error).await => {}
                answer => return answer,
            }
        }
    }

    /// The masters that have slots.
    pub(super) async fn masters(&self) -> RedisResult<Vec<Node>> {
        let mut slots = redis::cmd("CLUSTER");
        slots.arg("SLOTS");
        let value = self.connection.clone().req_packed_command(&slots).await?;
        type Range = (u16, u16, (String, u16));
        let ranges = Vec::<Value>::from_redis_value(value)?;
        let mut nodes = Vec::new();
        for range in ranges {
            let Value::Array(mut parts) = range else {
                continue;
            };
            // The replicas, and further facts about a node, are of no interest.
            parts.truncate(3);
            if let Some(Value::Array(node)) = parts.last_mut() {
                node.truncate(2);
            }
            let (_, _, (host, port)) = Range::from_redis_value(Value::Array(parts))?;
            nodes.push(Node::Of { host, port });
        }
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }

    pub(super) async fn send_to(&self, host: &str, port: u16, cmd: &Cmd) -> RedisResult<Value> {
        let node = SingleNodeRoutingInfo::ByAddress {
            host: host.to_owned(),
            port,
        };
        let mut connection = self.connection.clone();
        let answer = connection.route_command(cmd.clone(), RoutingInfo::SingleNode(node));
        answer.await?.extract_error()
    }

    /// Listens to a shard channel on the node that has its slot.
    pub(super) async fn subscribe(&self, channel: &str) -> RedisResult<()> {
        let mut connection = self.connection.clone();
        let patience = Patience::starting_now();
        loop {
            match connection.ssubscribe(channel).await {
                Err(error) if patience.wants_again(&error).await => {}
                answer => return answer,
            }
        }
    }

    /// The node may be frozen, and its slots have another master by now, of which nobody told: the
    /// library looks for it only when a node says that a slot has moved. So another node is asked.
    pub(super) async fn timed_out(&self, cmd: &Cmd) {
        let Some(Arg::Simple(key)) = cmd.args_iter().nth(3) else {
            return;
        };
        let mut exists = redis::cmd("EXISTS");
        exists.arg(key);
        for _ in 0..PROBES {
            let anywhere = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
            let mut connection = self.connection.clone();
            let probe = connection.route_command(exists.clone(), anywhere);
            if timeout(PROBE_TIMEOUT, probe).await.is_ok() {
                return;
            }
        }
    }
}

impl Patience {
    /// It ends before the call does, so that the call says what was wrong and not that it took too long.
    fn starting_now() -> Patience {
        Patience {
            until: Instant::now() + ANSWER_TIMEOUT - 2 * PAUSE,
        }
    }

    /// Whether to send the command again; waits a little before.
    async fn wants_again(&self, error: &RedisError) -> bool {
        let again = has_not_run(error) && Instant::now() < self.until;
        if again {
            tracing::debug!(
                error = error as &dyn std::error::Error,
                "not run; once more"
            );
            sleep(PAUSE).await;
        }
        again
    }
}

/// Whether the error says that no node has run the command: its slot is elsewhere, on the move, or
/// without a master, or there is no connection. A lost connection does not say that.
fn has_not_run(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, BusyLoading, ClusterDown, MasterDown, Moved, ReadOnly, TryAgain};
    match error.kind() {
        ErrorKind::Server(
            Moved | Ask | TryAgain | ClusterDown | MasterDown | BusyLoading | ReadOnly,
        ) => true,
        ErrorKind::ClusterConnectionNotFound => true,
        _ => error.is_connection_refusal(),
    }
}
