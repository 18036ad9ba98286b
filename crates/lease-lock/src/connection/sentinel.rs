//! The master that Sentinel chooses.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use redis::aio::MultiplexedConnection;
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{AsyncConnectionConfig, Cmd, ErrorKind, IntoConnectionInfo, ProtocolVersion};
use redis::{PushKind, RedisError, RedisResult, Value};
use tokio::runtime::Handle;

use super::deadline::Deadline;
use super::{Ear, disconnection, is_read_only, settings};
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
    channels: Mutex<BTreeSet<String>>,
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
    /// Finds the master.
    pub(super) async fn open(
        urls: &[String],
        master: &str,
        servers: &Servers,
        ear: Ear,
    ) -> RedisResult<Sentinel> {
        let sentinel = Sentinel::lazily(urls, master, servers, ear)?;
        sentinel.search().found.await?;
        Ok(sentinel)
    }

    /// Finds the master at the first call.
    pub(super) fn lazily(
        urls: &[String],
        master: &str,
        servers: &Servers,
        ear: Ear,
    ) -> RedisResult<Sentinel> {
        Ok(Sentinel(Arc::new(Inner {
            finder: tokio::sync::Mutex::new(finder(urls, master, servers)?),
            current: Mutex::default(),
            searches: AtomicU64::new(0),
            channels: Mutex::default(),
            ear,
            runtime: Handle::current(),
        })))
    }

    /// Sends one command. An answer that tells of another master is the last one from this connection.
    pub(super) async fn send(&self, cmd: &Cmd, deadline: Deadline) -> RedisResult<Value> {
        let search = self.search();
        let found = AtomicBool::new(false);
        let answer = deadline.bound(async {
            let mut connection = search.found.await?;
            found.store(true, Relaxed);
            let answer = connection.send_packed_command(cmd).await;
            answer.and_then(Value::extract_error)
        });
        let answer = answer.await;
        self.judge(search.number, found, answer.as_ref().err());
        answer
    }

    /// Listens to a channel on this connection and on every later one.
    pub(super) async fn subscribe(&self, channel: &str, deadline: Deadline) -> RedisResult<()> {
        // Noted first: a connection that is made meanwhile has to listen as well.
        self.0.channels().insert(channel.to_owned());
        let search = self.search();
        let found = AtomicBool::new(false);
        let answer = deadline.bound(async {
            let mut connection = search.found.await?;
            found.store(true, Relaxed);
            connection.subscribe(channel).await
        });
        let answer = answer.await;
        self.judge(search.number, found, answer.as_ref().err());
        if answer.is_err() {
            self.0.channels().remove(channel);
        }
        answer
    }

    /// Gives a connection up whose master is somewhere else now. A search that is still going on is left
    /// alone: it may take longer than one call waits.
    fn judge(&self, search: u64, found: AtomicBool, error: Option<&RedisError>) {
        if found.into_inner() && error.is_some_and(is_elsewhere) {
            self.0.leave(search);
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
        for channel in channels {
            match connection.subscribe(&channel).await {
                Ok(()) => {}
                // Its waiters go by the time that they were told; leases are more than wakes.
                Err(error) if error.code() == Some("NOPERM") => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, redis.channel = channel, "may not subscribe any more");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(connection)
    }

    /// Gives a connection up that still stands. Its end tells nobody anything, so whoever listened on it
    /// is told here: who waits asks again, and that finds the master and listens there.
    fn leave(&self, number: u64) {
        self.forget(number);
        (self.ear)(disconnection());
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

    fn channels(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an answer, or its absence, tells that the master is to be searched.
fn is_elsewhere(error: &RedisError) -> bool {
    error.is_timeout()
        || error.is_connection_dropped()
        || error.is_connection_refusal()
        || is_read_only(error)
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
