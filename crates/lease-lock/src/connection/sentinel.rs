//! The master that Sentinel chooses.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use redis::aio::MultiplexedConnection;
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{AsyncConnectionConfig, Cmd, ProtocolVersion, PushKind, RedisResult, Value};
use redis::{ErrorKind, IntoConnectionInfo, ServerErrorKind};
use tokio::runtime::Handle;

use super::{Ear, settings};
use crate::Servers;

/// How long the master itself may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection to the master. It is made anew, by asking Sentinel, whenever the last one was lost, did
/// not answer, or leads to a master that is one no longer.
#[derive(Clone)]
pub(super) struct Sentinel(Arc<Inner>);

struct Inner {
    /// Its connections to the sentinels are used by one search at a time.
    finder: tokio::sync::Mutex<SentinelClient>,
    current: Mutex<Option<Search>>,
    searches: AtomicU64,
    channels: Mutex<Vec<String>>,
    ear: Ear,
    /// A search goes on when the call that began it is given up: others wait for it, too.
    runtime: Handle,
}

/// A connection, or the search for one.
#[derive(Clone)]
struct Search {
    number: u64,
    found: Shared<BoxFuture<'static, RedisResult<MultiplexedConnection>>>,
}

impl Sentinel {
    pub(super) async fn open(
        urls: &[String],
        master: &str,
        servers: &Servers,
        ear: Ear,
    ) -> RedisResult<Sentinel> {
        let sentinel = Sentinel(Arc::new(Inner {
            finder: tokio::sync::Mutex::new(finder(urls, master, servers)?),
            current: Mutex::default(),
            searches: AtomicU64::new(0),
            channels: Mutex::default(),
            ear,
            runtime: Handle::current(),
        }));
        sentinel.search().found.await?;
        Ok(sentinel)
    }

    /// Sends one command. An answer that tells of another master is the last one from this connection.
    pub(super) async fn send(&self, cmd: &Cmd) -> RedisResult<Value> {
        let search = self.search();
        let answer = match search.found.await {
            Ok(mut connection) => connection.send_packed_command(cmd).await,
            Err(error) => Err(error),
        };
        let answer = answer.and_then(Value::extract_error);
        if answer.as_ref().is_err_and(is_elsewhere) {
            self.0.forget(search.number);
        }
        answer
    }

    /// Listens to a channel on this connection and on every later one.
    pub(super) async fn subscribe(&self, channel: &str) -> RedisResult<()> {
        // Noted first: a connection that is made meanwhile has to listen as well.
        self.0.channels().push(channel.to_owned());
        let answer = match self.search().found.await {
            Ok(mut connection) => connection.subscribe(channel).await,
            Err(error) => Err(error),
        };
        if answer.is_err() {
            self.0.channels().retain(|noted| noted != channel);
        }
        answer
    }

    /// A call was not answered: the master may be frozen, and another one be chosen.
    pub(super) fn timed_out(&self) {
        let current = self.0.current().as_ref().map(|search| search.number);
        if let Some(number) = current {
            self.0.forget(number);
        }
    }

    fn search(&self) -> Search {
        let mut current = self.0.current();
        current.get_or_insert_with(|| Inner::start(&self.0)).clone()
    }
}

impl Inner {
    fn start(self: &Arc<Inner>) -> Search {
        let number = self.searches.fetch_add(1, Relaxed);
        let inner = self.clone();
        let search = self.runtime.spawn(async move {
            let found = inner.connect(number).await;
            if let Err(error) = &found {
                tracing::debug!(error = error as &dyn std::error::Error, "found no master");
                inner.forget(number);
            }
            found
        });
        let found = async move {
            let gone = |_| (ErrorKind::Io, "the runtime of the client has ended").into();
            search.await.map_err(gone).flatten()
        };
        Search {
            number,
            found: found.boxed().shared(),
        }
    }

    async fn connect(self: &Arc<Inner>, number: u64) -> RedisResult<MultiplexedConnection> {
        let (inner, ear) = (Arc::downgrade(self), self.ear.clone());
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(None)
            .set_push_sender(move |push: redis::PushInfo| {
                // First forget it, then tell: who hears it asks at once, and needs the new master.
                if push.kind == PushKind::Disconnection {
                    Weak::upgrade(&inner).inspect(|inner| inner.forget(number));
                }
                ear(push);
                Ok::<(), Infallible>(())
            });
        let client = self.finder.lock().await.async_get_client().await?;
        let mut connection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        let channels = self.channels().clone();
        if !channels.is_empty() {
            connection.subscribe(channels).await?;
        }
        Ok(connection)
    }

    /// The next call searches, unless a newer search has begun already.
    fn forget(&self, number: u64) {
        let mut current = self.current();
        if current
            .as_ref()
            .is_some_and(|search| search.number == number)
        {
            *current = None;
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<Search>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn channels(&self) -> MutexGuard<'_, Vec<String>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an answer tells that the master is to be searched.
fn is_elsewhere(error: &redis::RedisError) -> bool {
    error.is_connection_dropped()
        || error.is_connection_refusal()
        || error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}

fn finder(urls: &[String], master: &str, servers: &Servers) -> RedisResult<SentinelClient> {
    let infos = urls.iter().map(|url| url.as_str().into_connection_info());
    let infos = infos.collect::<RedisResult<Vec<_>>>()?;
    let addresses = infos.iter().map(|info| info.addr().clone());
    let tcp = settings::tcp(Default::default());
    let mut finder = SentinelClientBuilder::new(addresses, master, SentinelServerType::Master)?
        .set_client_to_redis_protocol(ProtocolVersion::RESP3)
        .set_client_to_redis_tcp_settings(tcp.clone())
        .set_client_to_sentinel_tcp_settings(tcp);
    if let Some(first) = infos.first() {
        if let Some(user) = first.redis_settings().username() {
            finder = finder.set_client_to_sentinel_username(user);
        }
        if let Some(password) = first.redis_settings().password() {
            finder = finder.set_client_to_sentinel_password(password);
        }
        #[cfg(feature = "tls")]
        if super::tls::is_wanted(first) {
            let certificates = super::tls::certificates(servers);
            finder = finder
                .set_client_to_redis_tls_mode(redis::TlsMode::Secure)
                .set_client_to_redis_certificates(certificates.clone())
                .set_client_to_sentinel_certificates(certificates);
        }
    }
    if let Some(login) = &servers.login {
        finder = finder
            .set_client_to_redis_username(&login.user)
            .set_client_to_redis_password(&login.password);
    }
    finder.build()
}
