//! Leases over the slots of a Cluster.

use std::collections::BTreeSet;
use std::time::Duration;

use lease_lock::{AcquireAllError, AcquireError, Attempt, Finding, LeaseLock, Released, Resource};
use lease_lock::{Servers, Severity, Topic};
use testbed::{Options, RedisCluster};

use crate::support::{attempt, blocking, client, has, long, mark, prefix, resource};

pub(crate) fn start() -> RedisCluster {
    blocking(|| RedisCluster::start(&Options::throw_away()))
}

pub(crate) fn servers(cluster: &RedisCluster) -> Servers {
    Servers::cluster(cluster.urls())
}

/// The slot of a resource, as the servers count it.
pub(crate) fn slot(cluster: &RedisCluster, r: &Resource) -> u16 {
    let key = prefix().lease_key(r);
    let slot = blocking(|| cluster.node(5).command(&["CLUSTER", "KEYSLOT", &key]));
    slot.parse().unwrap()
}

/// The master of a resource.
pub(crate) fn master(cluster: &RedisCluster, r: &Resource) -> usize {
    let slot = slot(cluster, r);
    blocking(|| cluster.master_of(slot))
}

/// One resource per master, in the order of the masters.
pub(crate) fn one_per_master(cluster: &RedisCluster) -> Vec<Resource> {
    let found = |node| {
        let mut names = (0..).map(|i| resource(&format!("r{i}")));
        names.find(|r| master(cluster, r) == node).unwrap()
    };
    (0..3).map(found).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_takes_renews_remints_and_releases_on_every_master() {
    let cluster = start();
    let lock = client(servers(&cluster)).await;
    for r in one_per_master(&cluster) {
        let mut lease = lock.try_acquire(&attempt(&r)).await.unwrap();
        lease.renew(long()).await.unwrap();
        let above = lease.remint(mark(&lease)).await.unwrap();
        let held = lock.try_acquire(&attempt(&r)).await;
        assert!(
            matches!(held, Err(AcquireError::Held { by, .. }) if by == above),
            "{held:?}"
        );
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_resources_are_taken_across_slots_all_or_none() {
    let cluster = start();
    let (lock, other) = (
        client(servers(&cluster)).await,
        client(servers(&cluster)).await,
    );
    let resources = one_per_master(&cluster);
    let attempts: Vec<Attempt> = resources.iter().map(attempt).collect();
    let leases = lock.acquire_all(&attempts, Duration::ZERO).await.unwrap();
    let taken: BTreeSet<_> = leases
        .iter()
        .map(|lease| lease.resource().clone())
        .collect();
    assert_eq!(taken, resources.iter().cloned().collect());
    for lease in leases {
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    }

    // The last one in their order is held, so the others are taken, and given back.
    let last = taken.last().unwrap();
    let held = other.try_acquire(&attempt(last)).await.unwrap();
    let again: Vec<Attempt> = resources.iter().map(attempt).collect();
    let refused = lock.acquire_all(&again, Duration::ZERO).await;
    let Err(AcquireAllError::NotAcquired { given_back, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(given_back, 2);
    for r in taken.iter().filter(|r| *r != last) {
        let free = other.try_acquire(&attempt(r)).await.unwrap();
        assert_eq!(free.release().await.unwrap(), Released::Released);
    }
    assert_eq!(held.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_forgot_the_scripts_gets_them_with_the_call() {
    let cluster = start();
    let lock = client(servers(&cluster)).await;
    for node in 0..3 {
        blocking(|| cluster.node(node).command(&["SCRIPT", "FLUSH"]));
    }
    for r in one_per_master(&cluster) {
        let lease = lock.try_acquire(&attempt(&r)).await.unwrap();
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn preflight_looks_at_every_master() {
    let cluster = start();
    let looks = LeaseLock::preflight(servers(&cluster)).await.unwrap();
    let addresses: Vec<_> = looks.iter().map(|look| look.address.clone()).collect();
    let masters: BTreeSet<_> = (0..3)
        .map(|node| format!("127.0.0.1:{}", cluster.node(node).port()))
        .collect();
    assert_eq!(addresses.into_iter().collect::<BTreeSet<_>>(), masters);
    for look in &looks {
        let about = |topic| {
            let mut found = look
                .findings
                .iter()
                .filter(|finding| finding.topic == topic);
            found.next().unwrap()
        };
        let finding: &Finding = about(Topic::Cluster);
        let (observed, severity) = match has(cluster.node(0), "ssubscribe") {
            true => ("cluster mode", Severity::Fine),
            false => ("cluster mode without shard channels", Severity::Warning),
        };
        assert_eq!(finding.observed, observed, "{finding}");
        assert_eq!(finding.severity, severity, "{finding}");
        assert_eq!(about(Topic::Replication).severity, Severity::Warning);
    }
}
