//! What the tests of this crate share: a client of their own prefix, and a bare connection to look
//! at Redis and to tamper with it.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::{Duration, Instant};

use lease_lock::{Attempt, Floor, Lease, LeaseLock, Prefix, Resource, Ttl};
use redis::aio::MultiplexedConnection;
use redis::{Client, Cmd, FromRedisValue};
use testbed::{Options, RedisServer};

/// No wait of a test may last longer.
pub(crate) const BOUND: Duration = Duration::from_secs(10);

/// A TTL that no test outlives.
pub(crate) fn long() -> Ttl {
    Ttl::from_millis(60_000).unwrap()
}

/// A client under a prefix of its own, and a bare connection to the same server.
pub(crate) struct Bench {
    pub(crate) lock: LeaseLock,
    redis: MultiplexedConnection,
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
            _server: None,
        }
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

    /// How often each command ran, also inside scripts, since the statistics were reset.
    pub(crate) async fn calls(&self) -> BTreeMap<String, u64> {
        let stats: String = self.redis("INFO commandstats").await;
        let line = |line: &str| {
            let (name, figures) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            let (calls, _) = figures.split_once(',')?;
            Some((name.to_owned(), calls.parse().ok()?))
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
