//! Redis holds what is alive, and a bounded number of counters: never something for each resource that
//! there ever was.
//!
//! `FENCED_SECTION_RESOURCES=1000000` plays it with a million; 5,000 meet nearly every counter.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Instant;

use lease_lock::{Attempt, Floor, Lease, LeaseLock, Released};
use tokio::task::JoinSet;

use crate::support::{Bench, LONG, resource, resources_or};

/// All counters that there ever are.
const COUNTERS: u64 = 1024;
/// So many leases stay held.
const LIVE: u64 = 10;
/// So many take and give back at once, over one connection.
const TASKS: u64 = 64;

async fn acquire(lock: &LeaseLock, name: &str) -> Lease {
    let attempt = Attempt::new(resource(name), LONG.ttl).with_floor(Floor::ZERO);
    lock.try_acquire(&attempt).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_many_distinct_resources_redis_has_the_live_leases_and_at_most_1024_counters() {
    let bench = Bench::new("growth").await;
    let lock = bench.sections.locks();
    let (resources, started) = (resources_or(5_000), Instant::now());
    let mut live = Vec::new();
    for n in 0..LIVE {
        live.push(acquire(lock, &format!("live{n}")).await);
    }
    let next = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let (lock, next) = (lock.clone(), next.clone());
        tasks.spawn(async move {
            loop {
                let n = next.fetch_add(1, SeqCst);
                if n >= resources {
                    return;
                }
                let lease = acquire(&lock, &format!("r{n}")).await;
                assert_eq!(lease.release().await.unwrap(), Released::Released);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let keys: u64 = bench.redis("DBSIZE").await;
    println!(
        "{resources} resources, {keys} keys with {LIVE} live leases, {:.1} s",
        started.elapsed().as_secs_f64()
    );
    assert!(next.load(SeqCst) >= resources);
    assert!((LIVE + 1..=LIVE + COUNTERS).contains(&keys), "{keys} keys");
    for lease in live {
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    }
    let keys: u64 = bench.redis("DBSIZE").await;
    assert!(keys <= COUNTERS, "{keys} keys");
}
