//! What the tests of this crate share: a client of their own prefix, and a bare connection to look
//! at Redis and to tamper with it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use lease_lock::{Attempt, Floor, Holder, Lease, LeaseLock, Prefix, Resource, Ttl};
use redis::aio::MultiplexedConnection;
use redis::{Client, Cmd, FromRedisValue};
use testbed::{Options, Proxy, RedisServer};

/// No wait of a test may last longer.
pub(crate) const BOUND: Duration = Duration::from_secs(30);

/// A TTL that no test outlives.
pub(crate) fn long() -> Ttl {
    Ttl::from_millis(60_000).unwrap()
}

/// A client under a prefix of its own, and a bare connection to the same server.
pub(crate) struct Bench {
    pub(crate) lock: LeaseLock,
    redis: MultiplexedConnection,
    url: String,
    /// A server of its own, which ends with it.
    _server: Option<RedisServer>,
}

impl Bench {
    /// On the server that the tests of this process share.
    pub(crate) async fn new(test: &str) -> Bench {
        Bench::at(testbed::shared().redis_url(), &testbed::prefix(test)).await
    }

    /// On a server of the test's own.
    pub(crate) async fn at(url: &str, prefix: &str) -> Bench {
        let prefix = Prefix::new(prefix).unwrap();
        let lock = LeaseLock::connect(url, prefix).await.unwrap();
        let client = Client::open(url).unwrap();
        let redis = client.get_multiplexed_async_connection().await.unwrap();
        Bench {
            lock,
            redis,
            url: url.to_owned(),
            _server: None,
        }
    }

    /// Another client of the same server and prefix, which comes through a proxy.
    pub(crate) async fn through(&self, proxy: &Proxy) -> LeaseLock {
        let prefix = self.lock.prefix().clone();
        LeaseLock::connect(&proxy.url(&self.url), prefix)
            .await
            .unwrap()
    }

    /// Another client of the same server and prefix.
    pub(crate) async fn another(&self) -> LeaseLock {
        let prefix = self.lock.prefix().clone();
        LeaseLock::connect(&self.url, prefix).await.unwrap()
    }

    /// A proxy in front of the same server.
    pub(crate) async fn proxy(&self) -> Proxy {
        Proxy::to(&self.url).await
    }

    /// On a server that this test alone uses.
    pub(crate) async fn at_private_server() -> Bench {
        let server = private_server(&[]);
        let mut bench = Bench::at(server.url(), "private:").await;
        bench._server = Some(server);
        bench
    }

    /// Lets Redis answer nobody for a while.
    pub(crate) async fn pause(&self, time: Duration) {
        let millis = time.as_millis();
        let _: () = self.redis(format!("CLIENT PAUSE {millis} ALL")).await;
    }

    /// How often each command ran, also inside scripts, since the statistics were reset. The reset itself is
    /// `config`; from Redis 7 on it would be `config|resetstat`.
    pub(crate) async fn calls(&self) -> BTreeMap<String, u64> {
        let stats: String = self.redis("INFO commandstats").await;
        let line = |line: &str| {
            let (name, figures) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            let (calls, _) = figures.split_once(',')?;
            let (command, _) = name.split_once('|').unwrap_or((name, ""));
            Some((command.to_owned(), calls.parse().ok()?))
        };
        stats.lines().filter_map(line).collect()
    }

    /// Sends a command as an operator would type it, split at spaces.
    pub(crate) async fn redis<T: FromRedisValue>(&self, command: impl AsRef<str>) -> T {
        let mut cmd = Cmd::new();
        for word in command.as_ref().split(' ') {
            cmd.arg(word);
        }
        cmd.query_async(&mut self.redis.clone()).await.unwrap()
    }

    pub(crate) fn lease_key(&self, resource: &Resource) -> String {
        self.lock.prefix().lease_key(resource)
    }

    pub(crate) fn counter_key(&self, resource: &Resource) -> String {
        self.lock.prefix().counter_key(resource)
    }

    /// An attempt that a Redis without any memory grants.
    pub(crate) fn attempt(&self, resource: &Resource) -> Attempt {
        Attempt::new(resource.clone(), long()).with_floor(Floor::ZERO)
    }

    /// A lease that nobody is in the way of.
    pub(crate) async fn acquire(&self, resource: &Resource) -> Lease {
        self.lock
            .try_acquire(&self.attempt(resource))
            .await
            .unwrap()
    }

    /// Who waits, the first one first.
    pub(crate) async fn queue(&self, resource: &Resource) -> Vec<String> {
        let key = self.lock.prefix().queue_key(resource);
        self.redis(format!("ZRANGE {key} 0 -1")).await
    }

    /// Waits until so many wait.
    pub(crate) async fn until_queued(&self, resource: &Resource, waiters: usize) {
        let started = Instant::now();
        loop {
            let queue = self.queue(resource).await;
            if queue.len() == waiters {
                return;
            }
            assert!(started.elapsed() < BOUND, "{queue:?}, not {waiters}");
        }
    }

    /// Publishes one message, spaces and all.
    pub(crate) async fn publish(&self, channel: &str, message: &str) {
        let mut publish = Cmd::new();
        publish.arg("PUBLISH").arg(channel).arg(message);
        let heard: u64 = publish.query_async(&mut self.redis.clone()).await.unwrap();
        assert_eq!(heard, 1, "nobody listens to {channel}");
    }

    /// The URL of its server.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Waits until this holder has the lease.
    pub(crate) async fn until_held_by(&self, resource: &Resource, holder: Holder) {
        let started = Instant::now();
        let holder = holder.to_string();
        loop {
            let value = self.lease_value(resource).await.unwrap_or_default();
            if value
                .split_once(':')
                .is_some_and(|(_, owner)| owner == holder)
            {
                return;
            }
            assert!(started.elapsed() < BOUND, "{value:?}, not {holder}");
        }
    }

    /// Waits until the lease is reserved for a waiter.
    pub(crate) async fn until_reserved(&self, resource: &Resource) {
        let started = Instant::now();
        loop {
            let value = self.lease_value(resource).await;
            if value
                .as_deref()
                .is_some_and(|value| value.starts_with("next:"))
            {
                return;
            }
            assert!(started.elapsed() < BOUND, "{value:?} is no reservation");
        }
    }

    /// What Redis has as the lease: `None` where it is free.
    pub(crate) async fn lease_value(&self, resource: &Resource) -> Option<String> {
        let key = self.lease_key(resource);
        self.redis(format!("GET {key}")).await
    }

    /// Ends a lease as its TTL would, and waits until Redis has done so.
    pub(crate) async fn expire(&self, resource: &Resource) {
        let key = self.lease_key(resource);
        let _: i64 = self.redis(format!("PEXPIRE {key} 1")).await;
        self.until_free(resource).await;
    }

    /// Waits until the lease is free; each look is a round trip, so this is no busy loop.
    pub(crate) async fn until_free(&self, resource: &Resource) {
        let started = Instant::now();
        while self.lease_value(resource).await.is_some() {
            assert!(started.elapsed() < BOUND, "{resource} was not freed");
        }
    }
}

/// A server that this test alone uses, with a setting of its own. It ends with its handle.
pub(crate) fn private_server(settings: &[(&str, &str)]) -> RedisServer {
    let mut options = Options::throw_away();
    for (name, value) in settings {
        options = options.redis_config(name, value);
    }
    RedisServer::start(&options).unwrap()
}

/// Polls a future as long as another is pending: the state of a task that then hangs.
pub(crate) async fn poll_while(future: Pin<&mut impl Future>, pending: impl Future<Output = ()>) {
    tokio::select! {
        biased;
        () = pending => {}
        _ = future => panic!("it was not to be ready yet"),
    }
}

/// A resource by its name.
pub(crate) fn resource(name: &str) -> Resource {
    name.parse().unwrap()
}

/// Waits for an event, but never for ever.
pub(crate) async fn within<T>(event: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, event)
        .await
        .expect("the awaited event did not come")
}
