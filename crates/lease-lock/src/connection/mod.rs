//! The one door to Redis: one server, the master behind Sentinel, or a Cluster.

mod cluster;
mod error;
mod one;
mod sentinel;
mod settings;
#[cfg(feature = "tls")]
mod tls;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, ErrorKind, PushInfo, RedisResult, ServerErrorKind, Value};
use tokio::time::timeout;

pub(crate) use cluster::Node;
pub use error::ConnectError;

use crate::Servers;
use crate::reply::Reply;
use crate::script::{ALL, Script};
use crate::servers::Place;
use cluster::Cluster;
use one::One;
use sentinel::Sentinel;

/// How long a call waits for its answer, a reconnect included. Then its fate is *unknown*.
///
/// Long enough for a round trip between regions or a stall of Redis' disk, short enough that a
/// service fails closed while its own caller still listens. Waiting for a lease never holds a call.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

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

impl Connection {
    /// Connects, and loads the scripts.
    pub(crate) async fn open(
        servers: &Servers,
        hear: impl Fn(PushInfo) + Send + Sync + 'static,
    ) -> Result<Connection, ConnectError> {
        let address = servers.address();
        let connection = match Way::to(servers, Arc::new(hear)).await {
            Ok(way) => Connection(way),
            Err(error) if error.kind() == ErrorKind::InvalidClientConfig => {
                return Err(ConnectError::Url(error));
            }
            Err(source) => return Err(ConnectError::Unreachable { address, source }),
        };
        match answered(connection.load_all()).await {
            Ok(()) => Ok(connection),
            Err(source) => Err(ConnectError::Scripts { address, source }),
        }
    }

    /// Runs a script, and brings it along where the server does not know it (any more).
    pub(crate) async fn call(&self, script: &Script, cmd: &Cmd) -> RedisResult<Reply> {
        let answer = answered(self.run(script, cmd)).await;
        if answer.as_ref().is_err_and(|error| error.is_timeout()) {
            self.timed_out(cmd);
        }
        Reply::new(answer?)
    }

    /// Runs a command that is no script.
    pub(crate) async fn ask(&self, cmd: &Cmd) -> RedisResult<Value> {
        answered(self.send(cmd)).await
    }

    /// Every master that leases live on.
    pub(crate) async fn masters(&self) -> RedisResult<Vec<Node>> {
        match &self.0 {
            Way::One(_) | Way::Sentinel(_) => Ok(vec![Node::Only]),
            Way::Cluster(cluster) => answered(cluster.masters()).await,
        }
    }

    /// Runs a command that is no script on one of them.
    pub(crate) async fn ask_node(&self, node: &Node, cmd: &Cmd) -> RedisResult<Value> {
        match (&self.0, node) {
            (Way::Cluster(cluster), Node::Of { host, port }) => {
                answered(cluster.send_to(host, *port, cmd)).await
            }
            _ => self.ask(cmd).await,
        }
    }

    /// Listens to a channel, from now on and on every later connection.
    pub(crate) async fn subscribe(&self, channel: &str) -> RedisResult<()> {
        answered(async {
            match &self.0 {
                Way::One(one) => one.subscribe(channel).await,
                Way::Sentinel(sentinel) => sentinel.subscribe(channel).await,
                Way::Cluster(cluster) => cluster.subscribe(channel).await,
            }
        })
        .await
    }

    /// `NOSCRIPT` says that nothing ran, so the second try is never a repetition. It brings the source
    /// along, which the server then keeps: one round trip, to the very node that needs it.
    async fn run(&self, script: &Script, cmd: &Cmd) -> RedisResult<Value> {
        match self.send(cmd).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                tracing::debug!(script.sha = script.sha(), "bringing a script again");
                self.send(&script.eval(cmd)).await
            }
            answer => answer,
        }
    }

    async fn send(&self, cmd: &Cmd) -> RedisResult<Value> {
        let value = match &self.0 {
            Way::One(one) => one.send(cmd).await?,
            Way::Sentinel(sentinel) => sentinel.send(cmd).await?,
            Way::Cluster(cluster) => cluster.send(cmd).await?,
        };
        value.extract_error()
    }

    /// Looks whether somebody else is to be asked from now on.
    fn timed_out(&self, cmd: &Cmd) {
        match &self.0 {
            // The kernel gives a dead peer up, and a frozen one goes on as the same server.
            Way::One(_) => {}
            Way::Sentinel(sentinel) => sentinel.timed_out(),
            Way::Cluster(cluster) => {
                let (cluster, cmd) = (cluster.clone(), cmd.clone());
                tokio::spawn(async move { cluster.timed_out(&cmd).await });
            }
        }
    }

    /// Loads the scripts at the start, so that already the first acquisition is one command.
    async fn load_all(&self) -> RedisResult<()> {
        for script in ALL {
            self.send(&script.load()).await?;
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
}

/// Bounds a call by [`ANSWER_TIMEOUT`].
async fn answered<T>(call: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    match timeout(ANSWER_TIMEOUT, call).await {
        Ok(answer) => answer,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer within 1 s").into()),
    }
}
