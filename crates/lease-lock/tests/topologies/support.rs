//! What the tests of topologies share.

use std::time::{Duration, Instant};

use lease_lock::{AcquireError, Attempt, Floor, Lease, LeaseLock, Prefix, Released, Resource};
use lease_lock::{Servers, Ttl};
use redis::RedisError;
use testbed::RedisServer;
use tokio::task::block_in_place;

/// No wait of a test may last longer. A failover takes some seconds, on a busy machine many.
pub(crate) const BOUND: Duration = Duration::from_secs(60);

/// A TTL that no test outlives.
pub(crate) fn long() -> Ttl {
    Ttl::from_millis(600_000).unwrap()
}

pub(crate) fn prefix() -> Prefix {
    Prefix::new("app:").unwrap()
}

pub(crate) async fn client(servers: Servers) -> LeaseLock {
    LeaseLock::connect(servers, prefix()).await.unwrap()
}

pub(crate) fn resource(name: &str) -> Resource {
    name.parse().unwrap()
}

/// An attempt that a Redis without any memory grants.
pub(crate) fn attempt(resource: &Resource) -> Attempt {
    Attempt::new(resource.clone(), long()).with_floor(Floor::ZERO)
}

/// The mark of a guard that has seen this lease.
pub(crate) fn mark(lease: &Lease) -> Floor {
    Floor::new(lease.fence().get()).unwrap()
}

/// Sends the same attempt until it is granted: what a caller does whose fate is unknown. Whoever else
/// holds the lease is a failure of the test.
pub(crate) async fn until_granted(lock: &LeaseLock, attempt: &Attempt) -> Lease {
    let started = Instant::now();
    loop {
        match lock.try_acquire(attempt).await {
            Ok(lease) => return lease,
            Err(AcquireError::Unknown(error)) => {
                assert!(started.elapsed() < BOUND, "never granted: {error}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// What a call to servers fails with that are away or the wrong ones.
pub(crate) async fn failure(lock: &LeaseLock, name: &str) -> RedisError {
    match lock.try_acquire(&attempt(&resource(name))).await {
        Err(AcquireError::Unknown(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Waits until so many wait for a resource, as its server says.
pub(crate) async fn until_queued(server: &RedisServer, r: &Resource, waiters: usize) {
    let (queue, waiters) = (prefix().queue_key(r), waiters.to_string());
    let queued = async {
        while blocking(|| server.command(&["ZCARD", &queue])) != waiters {
            tokio::task::yield_now().await;
        }
    };
    within(queued).await;
}

/// One holds and renews, another waits; a release wakes it. The lease has minutes to live, so only a wake
/// ends the wait in time.
pub(crate) async fn is_woken(
    server: &RedisServer,
    holder: &LeaseLock,
    waiter: &LeaseLock,
    r: &Resource,
) {
    let mut lease = until_granted(holder, &attempt(r)).await;
    lease.renew(long()).await.unwrap();
    let wish = attempt(r);
    let wait = waiter.acquire_within(&wish, long().as_duration());
    let release = async {
        until_queued(server, r, 1).await;
        lease.release().await.unwrap()
    };
    let (waited, released) = tokio::join!(within(wait), release);
    assert_eq!(released, Released::Released);
    assert_eq!(waited.unwrap().release().await.unwrap(), Released::Released);
}

/// Runs what blocks a thread, such as waiting for a failover.
pub(crate) fn blocking<T, E: std::fmt::Debug>(work: impl FnOnce() -> Result<T, E>) -> T {
    block_in_place(work).unwrap()
}

/// Whether the servers under test have a command; said loudly where they do not.
pub(crate) fn has(server: &RedisServer, command: &str) -> bool {
    let known = blocking(|| server.command(&["COMMAND", "INFO", command]));
    let has = known.contains(command);
    if !has {
        println!("NOT TESTED: this server has no {command}");
    }
    has
}

/// Waits for an event, but never for ever.
pub(crate) async fn within<T>(event: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, event)
        .await
        .expect("the awaited event did not come")
}

/// Waits until something holds that gives no event, such as the state of a lease that others renew.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    let holds = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(holds).await;
}
