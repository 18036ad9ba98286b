//! The one door to Redis: one server, the master behind Sentinel, or a Cluster.

mod cluster;
mod deadline;
mod error;
mod one;
mod sentinel;
mod settings;
#[cfg(feature = "tls")]
mod tls;
mod view;

use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, ErrorKind, PushInfo, RedisError, RedisResult, ServerErrorKind, Value};

pub use error::ConnectError;
pub(crate) use view::Node;

use crate::Servers;
use crate::reply::Reply;
use crate::script::{ALL, Script};
use crate::servers::Place;
use cluster::Cluster;
use deadline::Deadline;
use one::One;
use sentinel::Sentinel;

/// Gets what the servers send unasked, and the news of a lost connection. It must not block.
type Ear = Arc<dyn Fn(PushInfo) + Send + Sync>;

/// The way to the servers; it reconnects by itself.
#[derive(Clone)]
pub(crate) struct Connection(Way);

#[derive(Clone)]
enum Way {
    One(One),
    Sentinel(Sentinel),
    Cluster(Cluster),
}

/// Whether a command may run a second time, where it is not certain that it has not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Its second run changes nothing and answers the same.
    Harmless,
    /// Its second run would answer otherwise: a release that was there first says "expired".
    Never,
}

impl Connection {
    /// Connects, and loads the scripts.
    pub(crate) async fn open(
        servers: &Servers,
        hear: impl Fn(PushInfo) + Send + Sync + 'static,
    ) -> Result<Connection, ConnectError> {
        check_certificates(servers)?;
        let address = servers.address();
        let connection = match Way::to(servers, Arc::new(hear)).await {
            Ok(way) => Connection(way),
            Err(error) if is_a_mistake(&error) => return Err(ConnectError::Url(error)),
            Err(source) => return Err(ConnectError::Unreachable { address, source }),
        };
        match connection.load_all().await {
            Ok(()) => Ok(connection),
            Err(source) => Err(ConnectError::Scripts { address, source }),
        }
    }

    /// Leaves everything to the first call: it connects, and brings its script along.
    pub(crate) fn open_lazily(
        servers: &Servers,
        hear: impl Fn(PushInfo) + Send + Sync + 'static,
    ) -> Result<Connection, ConnectError> {
        check_certificates(servers)?;
        Way::lazily_to(servers, Arc::new(hear)).map(Connection)
    }

    /// Runs a script, and brings it along where the server does not know it (any more): `NOSCRIPT` says
    /// that nothing ran, so that is never a repetition. The server keeps the source, and one round trip
    /// to the very node that needs it is enough.
    pub(crate) async fn call(&self, script: &Script, cmd: &Cmd) -> RedisResult<Reply> {
        let deadline = Deadline::of_a_call_from_now();
        let answer = match self.send(cmd, script.repeat(), deadline).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                tracing::debug!(script.sha = script.sha(), "bringing a script again");
                let cmd = script.eval(cmd);
                self.send(&cmd, script.repeat(), deadline).await
            }
            answer => answer,
        };
        Reply::new(answer?)
    }

    /// Runs a command that is no script.
    pub(crate) async fn ask(&self, cmd: &Cmd) -> RedisResult<Value> {
        let deadline = Deadline::of_a_call_from_now();
        self.send(cmd, Repeat::Never, deadline).await
    }

    /// Every master that leases live on.
    pub(crate) async fn masters(&self) -> RedisResult<Vec<Node>> {
        match &self.0 {
            Way::One(_) | Way::Sentinel(_) => Ok(vec![Node::Only]),
            Way::Cluster(cluster) => cluster.masters().await,
        }
    }

    /// Runs a command that is no script on one of them.
    pub(crate) async fn ask_node(&self, node: &Node, cmd: &Cmd) -> RedisResult<Value> {
        match (&self.0, node) {
            (Way::Cluster(cluster), Node::Of { host, port }) => {
                cluster.send_to(host, *port, cmd).await
            }
            _ => self.ask(cmd).await,
        }
    }

    /// Listens to a channel, from now on and on every later connection.
    pub(crate) async fn subscribe(&self, channel: &str) -> RedisResult<()> {
        let deadline = Deadline::of_a_call_from_now();
        match &self.0 {
            Way::One(one) => deadline.bound(one.subscribe(channel)).await,
            Way::Sentinel(sentinel) => sentinel.subscribe(channel, deadline).await,
            Way::Cluster(cluster) => cluster.subscribe(channel, deadline).await,
        }
    }

    /// How long a waiter goes on asking while nobody answers it; the second try it always has.
    pub(crate) fn silence(&self) -> Duration {
        match &self.0 {
            Way::One(_) | Way::Sentinel(_) => Duration::ZERO,
            Way::Cluster(_) => cluster::SILENCE,
        }
    }

    async fn send(&self, cmd: &Cmd, repeat: Repeat, deadline: Deadline) -> RedisResult<Value> {
        let value = match &self.0 {
            // The kernel gives a dead peer up, and a frozen one goes on as the same server.
            Way::One(one) => deadline.bound(one.send(cmd)).await?,
            Way::Sentinel(sentinel) => sentinel.send(cmd, deadline).await?,
            Way::Cluster(cluster) => cluster.send(cmd, repeat, deadline).await?,
        };
        value.extract_error()
    }

    /// Loads the scripts at the start, so that already the first acquisition is one command.
    async fn load_all(&self) -> RedisResult<()> {
        for script in ALL {
            let deadline = Deadline::of_a_call_from_now();
            self.send(&script.load(), Repeat::Harmless, deadline)
                .await?;
        }
        Ok(())
    }
}

impl Way {
    async fn to(servers: &Servers, ear: Ear) -> RedisResult<Way> {
        Ok(match &servers.place {
            Place::One(url) => {
                let client = settings::client(url, servers)?;
                Way::One(One::open(client, ear).await?)
            }
            Place::Sentinel { urls, master } => {
                Way::Sentinel(Sentinel::open(urls, master, servers, ear).await?)
            }
            Place::Cluster(urls) => Way::Cluster(Cluster::open(urls, servers, ear).await?),
        })
    }

    /// Nothing is sent, so whatever is wrong here is wrong in the description.
    fn lazily_to(servers: &Servers, ear: Ear) -> Result<Way, ConnectError> {
        let way = match &servers.place {
            Place::One(url) => {
                let client = settings::client(url, servers);
                client
                    .and_then(|client| One::lazily(client, ear))
                    .map(Way::One)
            }
            Place::Sentinel { urls, master } => {
                Sentinel::lazily(urls, master, servers, ear).map(Way::Sentinel)
            }
            Place::Cluster(_) => return Err(ConnectError::ClusterLazily),
        };
        way.map_err(ConnectError::Url)
    }
}

/// Certificates and keys are read before anything is sent.
fn check_certificates(servers: &Servers) -> Result<(), ConnectError> {
    #[cfg(feature = "tls")]
    tls::check(servers).map_err(ConnectError::Certificates)?;
    let _ = servers;
    Ok(())
}

/// Whether the servers were described wrongly, rather than being away.
fn is_a_mistake(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidClientConfig | ErrorKind::EmptySentinelList
    )
}

/// Whether the server says that it is a replica, and has run nothing. Before Redis 7 the word comes behind
/// the script's own name and line.
fn is_read_only(error: &RedisError) -> bool {
    let is_wrapped = matches!(error.code(), Some("@user_script:" | "ERR"));
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
        || is_wrapped
            && error
                .detail()
                .is_some_and(|text| text.contains(": -READONLY"))
}

/// What an ear hears where a connection is given up that its own end tells nothing of.
fn disconnection() -> PushInfo {
    PushInfo {
        kind: redis::PushKind::Disconnection,
        data: Vec::new(),
    }
}
