//! The one door to Redis.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{Client, Cmd, ErrorKind, IntoConnectionInfo, ProtocolVersion};
use redis::{PushInfo, RedisError, RedisResult, Script, ServerErrorKind, Value};
use tokio::time::timeout;

use crate::reply::Reply;
use crate::script::ALL;

/// How long a call waits for its answer, a reconnect included. Then its fate is *unknown*.
///
/// Long enough for a round trip between regions or a stall of Redis' disk, short enough that a
/// service fails closed while its own caller still listens. Waiting for a lease never holds a call.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// How often a lost connection is tried again before the waiting calls fail; the next call starts
/// over. With the pauses below, jittered, that takes 0.3 to 0.6 s, so a refused connection is an error
/// within [`ANSWER_TIMEOUT`].
const RECONNECTS: usize = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// How long sent bytes may stay unacknowledged before the kernel gives the connection up. Without
/// it a peer that vanished is noticed after a quarter of an hour.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);

/// After so long without traffic the kernel asks whether the peer is still there. A client that
/// waits for a lease sends nothing, and would never hear that Redis' machine is gone.
const IDLE: Duration = Duration::from_secs(5);

/// One multiplexed connection that reconnects.
#[derive(Clone)]
pub(crate) struct Connection {
    manager: ConnectionManager,
}

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The URL is not one of Redis.
    #[error("not a Redis URL; write redis://user:password@host:6379/0 or unix:///path")]
    Url(#[source] RedisError),
    /// Nobody answered there, or the server turned the client away.
    #[error("no connection to Redis at {address}; check that it runs there and lets you in")]
    Unreachable {
        /// Host and port, or the path of the socket; never the password.
        address: String,
        /// What went wrong.
        #[source]
        source: RedisError,
    },
    /// The server is there, but does not take the scripts.
    #[error("Redis at {address} does not take scripts; allow SCRIPT LOAD and EVALSHA to this user")]
    Scripts {
        /// Host and port, or the path of the socket; never the password.
        address: String,
        /// What went wrong.
        #[source]
        source: RedisError,
    },
}

impl Connection {
    /// `hear` gets what the server sends unasked, and the news of a lost connection. It must not
    /// block. What was subscribed is subscribed again on each new connection, before anything else.
    pub(crate) async fn open(
        url: &str,
        hear: impl Fn(PushInfo) + Send + Sync + 'static,
    ) -> Result<Connection, ConnectError> {
        let (client, address) = client(url).map_err(ConnectError::Url)?;
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(RECONNECTS)
            .set_min_delay(FIRST_PAUSE)
            .set_max_delay(LONGEST_PAUSE)
            .set_push_sender(move |push| {
                hear(push);
                Ok::<(), Infallible>(())
            })
            .set_automatic_resubscription()
            // One timer, in `call`, covers the reconnect as well; a second one adds nothing.
            .set_response_timeout(None);
        let manager = match ConnectionManager::new_with_config(client, config).await {
            Ok(manager) => manager,
            Err(source) => return Err(ConnectError::Unreachable { address, source }),
        };
        let connection = Connection { manager };
        match answered(connection.load_all()).await {
            Ok(()) => Ok(connection),
            Err(source) => Err(ConnectError::Scripts { address, source }),
        }
    }

    /// Runs a script, and loads it first where the server does not know it (any more).
    pub(crate) async fn call(&self, script: &Script, cmd: &Cmd) -> RedisResult<Reply> {
        Reply::new(answered(self.run(script, cmd)).await?)
    }

    /// Runs a command that is no script.
    pub(crate) async fn ask(&self, cmd: &Cmd) -> RedisResult<Value> {
        answered(self.send(cmd)).await
    }

    /// Listens to a channel, from now on and on every later connection.
    pub(crate) async fn subscribe(&self, channel: &str) -> RedisResult<()> {
        answered(self.manager.clone().subscribe(channel)).await
    }

    /// `NOSCRIPT` says that nothing ran, so the second try is never a repetition.
    async fn run(&self, script: &Script, cmd: &Cmd) -> RedisResult<Value> {
        match self.send(cmd).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                tracing::debug!(script.sha = script.get_hash(), "loading a script again");
                script.load_async(&mut self.manager.clone()).await?;
                self.send(cmd).await
            }
            answer => answer,
        }
    }

    /// Sends one command.
    ///
    /// The manager remembers that its last reconnect failed, and tells it to the first call that
    /// comes after Redis has healed. A refused connection never carried a command, so that call
    /// is safe to send again; it then waits for a new connection.
    async fn send(&self, cmd: &Cmd) -> RedisResult<Value> {
        let mut manager = self.manager.clone();
        let value = match manager.send_packed_command(cmd).await {
            Err(error) if error.is_connection_refusal() => manager.send_packed_command(cmd).await,
            sent => sent,
        };
        value?.extract_error()
    }

    /// Loads the scripts at the start, so that already the first acquisition is one command.
    async fn load_all(&self) -> RedisResult<()> {
        let mut manager = self.manager.clone();
        for script in ALL {
            script.load_async(&mut manager).await?;
        }
        Ok(())
    }
}

/// A client of a URL, and its address without credentials.
///
/// RESP3, because there the client hears of a lost connection at once and not by its next command.
fn client(url: &str) -> RedisResult<(Client, String)> {
    let info = url.into_connection_info()?;
    let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(IDLE);
    let tcp = info.tcp_settings().clone();
    let tcp = tcp.set_nodelay(true).set_keepalive(keepalive);
    #[cfg(target_os = "linux")]
    let tcp = tcp.set_user_timeout(UNACKNOWLEDGED);
    let redis = info
        .redis_settings()
        .clone()
        .set_protocol(ProtocolVersion::RESP3);
    let address = info.addr().to_string();
    let info = info.set_tcp_settings(tcp).set_redis_settings(redis);
    Ok((Client::open(info)?, address))
}

/// Bounds a call by [`ANSWER_TIMEOUT`].
async fn answered<T>(call: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    match timeout(ANSWER_TIMEOUT, call).await {
        Ok(answer) => answer,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer within 1 s").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_sends_at_once_speaks_resp3_and_is_named_without_its_password() {
        let (client, address) = client("redis://me:s3cret@host:7000/3").unwrap();
        let info = client.get_connection_info();
        assert!(info.tcp_settings().nodelay());
        assert_eq!(info.redis_settings().protocol(), ProtocolVersion::RESP3);
        assert_eq!(info.redis_settings().password(), Some("s3cret"));
        assert_eq!(address, "host:7000");
    }
}
