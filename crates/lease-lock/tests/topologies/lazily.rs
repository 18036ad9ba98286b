//! Clients that connect at their first call, and what they find there.

use lease_lock::{ConnectError, LeaseLock, Released, Servers, Severity, Topic};
use redis::{ErrorKind, ServerErrorKind};
use testbed::{Options, Proxy, RedisSentinel};

use crate::cluster::{one_per_master, start as start_cluster};
use crate::support::{attempt, blocking, failure, is_woken, prefix, resource, until_granted};

fn lazily(servers: impl Into<Servers>) -> LeaseLock {
    LeaseLock::connect_lazily(servers, prefix()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_made_without_a_master_finds_the_one_that_sentinel_chooses() {
    let mut set = blocking(|| RedisSentinel::start(&Options::throw_away()));
    blocking(|| set.await_replicated(0));
    blocking(|| set.node_mut(0).kill_nine());
    let servers = Servers::sentinel(set.sentinels(), set.name());
    let (holder, waiter) = (lazily(servers.clone()), lazily(servers));
    let _ = failure(&holder, "r").await;
    let _ = failure(&waiter, "r").await;

    let master = blocking(|| set.await_master_other_than(0));
    // A search that began before may still end at the old one.
    drop(until_granted(&waiter, &attempt(&resource("other"))).await);
    is_woken(set.node(master), &holder, &waiter, &resource("r")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_made_without_sentinels_acquires_with_the_first_call_that_finds_one() {
    let set = blocking(|| RedisSentinel::start(&Options::throw_away()));
    let sentinel = set.sentinels().remove(0);
    let door = Proxy::to(&sentinel).await;
    door.close();
    let lock = lazily(Servers::sentinel([door.url(&sentinel)], set.name()));
    for _ in 0..2 {
        let _ = failure(&lock, "r").await;
    }
    door.reopen();
    let lease = lock.try_acquire(&attempt(&resource("r"))).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

/// `connect` loads the scripts, and a sentinel takes none.
#[tokio::test(flavor = "multi_thread")]
async fn a_sentinel_that_is_taken_for_the_server_refuses_each_call() {
    let set = blocking(|| RedisSentinel::start(&Options::throw_away()));
    let sentinel = set.sentinels().remove(0);
    let eager = LeaseLock::connect(&sentinel, prefix()).await;
    assert!(
        matches!(eager, Err(ConnectError::Scripts { .. })),
        "{eager:?}"
    );
    let lock = lazily(&sentinel);
    for _ in 0..2 {
        let error = failure(&lock, "r").await;
        assert!(error.to_string().contains("unknown command"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_a_cluster_that_is_taken_for_the_server_says_that_others_have_the_slot() {
    let cluster = start_cluster();
    let url = cluster.urls().remove(0);
    let eager = LeaseLock::connect(&url, prefix()).await.unwrap();
    for lock in [eager, lazily(&url)] {
        for r in one_per_master(&cluster).iter().skip(1) {
            let error = failure(&lock, r.as_str()).await;
            let moved = ErrorKind::Server(ServerErrorKind::Moved);
            assert_eq!(error.kind(), moved, "{error}");
        }
    }
    let look = LeaseLock::preflight(&url).await.unwrap().remove(0);
    let mut findings = look.findings.iter();
    let finding = findings.find(|finding| finding.topic == Topic::Cluster);
    assert_eq!(finding.unwrap().severity, Severity::Error, "{look}");
}
