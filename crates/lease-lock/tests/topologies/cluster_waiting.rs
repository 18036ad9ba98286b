//! Waiting in a Cluster: through shard channels, on whatever node has the slot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use lease_lock::{AcquireError, Attempt, Floor, LeaseLock, Released, Resource, Ttl};
use testbed::RedisCluster;

use crate::cluster::{master, one_per_master, servers, slot, start};
use crate::support::{
    attempt, blocking, client, has, is_woken, long, prefix, resource, until_granted, until_queued,
    within,
};

/// `None`, said loudly, where the servers have none (Redis < 7.0).
fn start_with_shard_channels() -> Option<RedisCluster> {
    let cluster = start();
    has(cluster.node(0), "ssubscribe").then_some(cluster)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_wakes_a_waiter_on_every_master() {
    let Some(cluster) = start_with_shard_channels() else {
        return;
    };
    let (holder, waiter) = (
        client(servers(&cluster)).await,
        client(servers(&cluster)).await,
    );
    for r in one_per_master(&cluster) {
        is_woken(cluster.node(master(&cluster, &r)), &holder, &waiter, &r).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn waiters_of_several_clients_are_served_in_the_order_of_their_arrival() {
    let Some(cluster) = start_with_shard_channels() else {
        return;
    };
    let lock = client(servers(&cluster)).await;
    let r = one_per_master(&cluster).remove(1);
    let mut lease = lock.try_acquire(&attempt(&r)).await.unwrap();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    for number in 0..4 {
        let (waiter, tell, wish) = (client(servers(&cluster)).await, tell.clone(), attempt(&r));
        tokio::spawn(async move {
            let served = waiter.acquire_within(&wish, long().as_duration()).await;
            tell.send((number, served.unwrap(), waiter)).unwrap();
        });
        until_queued(cluster.node(master(&cluster, &r)), &r, number + 1).await;
    }
    for expected in 0..4 {
        assert_eq!(lease.release().await.unwrap(), Released::Released);
        let (number, served, _waiter) = within(told.recv()).await.unwrap();
        assert_eq!(number, expected);
        lease = served;
    }
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiters_are_woken_by_the_new_master_of_their_slot() {
    let Some(mut cluster) = start_with_shard_channels() else {
        return;
    };
    let (holder, waiter) = (
        client(servers(&cluster)).await,
        client(servers(&cluster)).await,
    );
    let r = one_per_master(&cluster).remove(0);
    is_woken(cluster.node(master(&cluster, &r)), &holder, &waiter, &r).await;
    let slot = slot(&cluster, &r);

    blocking(|| cluster.node_mut(0).kill_nine());
    blocking(|| cluster.await_master_of(slot, 0));
    is_woken(cluster.node(master(&cluster, &r)), &holder, &waiter, &r).await;
}

/// The old node ends the subscription; the waiter is told so, listens at the new one, and queues there.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiter_whose_slot_moves_while_it_waits_is_woken_on_the_other_node() {
    let Some(cluster) = start_with_shard_channels() else {
        return;
    };
    let (holder, waiter) = (
        client(servers(&cluster)).await,
        client(servers(&cluster)).await,
    );
    let r = one_per_master(&cluster).remove(0);
    let lease = holder.try_acquire(&attempt(&r)).await.unwrap();
    let moved = slot(&cluster, &r);
    let wish = attempt(&r);
    let wait = waiter.acquire_within(&wish, long().as_duration());
    let move_and_release = async {
        until_queued(cluster.node(master(&cluster, &r)), &r, 1).await;
        blocking(|| cluster.move_slot(moved, 1));
        until_heard(&cluster, &r, 1).await;
        until_queued(cluster.node(master(&cluster, &r)), &r, 1).await;
        lease.release().await.unwrap()
    };
    let (waited, released) = tokio::join!(within(wait), move_and_release);
    assert_eq!(released, Released::Released);
    assert_eq!(waited.unwrap().release().await.unwrap(), Released::Released);
}

/// Each move ends the waiter's subscription unasked, on a node from which many other answers come.
#[tokio::test(flavor = "multi_thread")]
async fn answers_go_to_their_own_calls_while_the_slot_of_a_waiter_moves() {
    let Some(cluster) = start_with_shard_channels() else {
        return;
    };
    let (holder, busy) = (
        client(servers(&cluster)).await,
        client(servers(&cluster)).await,
    );
    let r = one_per_master(&cluster).remove(0);
    let moved = slot(&cluster, &r);
    let lease = holder.try_acquire(&attempt(&r)).await.unwrap();
    let names = (0..).map(|i| resource(&format!("own{i}")));
    let own = names.filter(|own| master(&cluster, own) == 0 && slot(&cluster, own) != moved);
    let stop = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = own
        .take(16)
        .map(|own| tokio::spawn(takes_and_releases(busy.clone(), own, stop.clone())))
        .collect();
    let wish = attempt(&r);
    let wait = busy.acquire_within(&wish, long().as_duration());
    let move_and_release = async {
        for to in [1, 0, 1, 0, 1, 0] {
            until_queued(cluster.node(master(&cluster, &r)), &r, 1).await;
            blocking(|| cluster.move_slot(moved, to));
            until_heard(&cluster, &r, to).await;
        }
        until_queued(cluster.node(master(&cluster, &r)), &r, 1).await;
        lease.release().await.unwrap()
    };
    let (waited, released) = tokio::join!(within(wait), move_and_release);
    assert_eq!(released, Released::Released);
    assert_eq!(waited.unwrap().release().await.unwrap(), Released::Released);
    stop.store(true, Relaxed);
    for task in tasks {
        assert!(within(task).await.unwrap() > 0);
    }
}

/// Nobody else wants this resource: every answer but a grant and a release is somebody else's.
async fn takes_and_releases(lock: LeaseLock, own: Resource, stop: Arc<AtomicBool>) -> u64 {
    let mut rounds = 0;
    while !stop.load(Relaxed) {
        let lease = lock.try_acquire(&attempt(&own)).await.unwrap();
        assert_eq!(lease.release().await.unwrap(), Released::Released);
        rounds += 1;
    }
    rounds
}

/// Only the waiter's own client can notice: the frozen node ends nothing, and the new master knows neither
/// the lease nor the queue.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiter_of_a_frozen_master_asks_the_new_one_when_a_call_of_its_client_goes_unanswered() {
    let Some(mut cluster) = start_with_shard_channels() else {
        return;
    };
    let (holder, waiter) = (
        client(servers(&cluster)).await,
        client(servers(&cluster)).await,
    );
    let r = one_per_master(&cluster).remove(0);
    let mut others = (0..).map(|i| resource(&format!("other{i}")));
    let other = others.find(|other| master(&cluster, other) == 0).unwrap();
    blocking(|| cluster.stop_replicating(0));
    let _held = holder.try_acquire(&attempt(&r)).await.unwrap();
    let wish = attempt(&r);
    let wait = waiter.acquire_within(&wish, long().as_duration());
    let freeze_and_ask = async {
        until_queued(cluster.node(master(&cluster, &r)), &r, 1).await;
        cluster.node_mut(0).freeze();
        // A wait ends as unknown where nobody answers it twice, which an election may outlast.
        let slot = slot(&cluster, &r);
        blocking(|| cluster.await_master_of(slot, 0));
        drop(until_granted(&waiter, &attempt(&other)).await);
    };
    let (waited, ()) = tokio::join!(within(wait), freeze_and_ask);
    assert_eq!(waited.unwrap().release().await.unwrap(), Released::Released);
}

/// A client that follows a new master may hold its calls back for longer than two of them wait. Here the
/// master answers nobody for as long, and nobody takes its place.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiter_whose_master_answers_nobody_for_some_seconds_asks_until_it_does() {
    let Some(mut cluster) = start_with_shard_channels() else {
        return;
    };
    for node in 0..cluster.urls().len() {
        let patient = ["CONFIG", "SET", "cluster-node-timeout", "120000"];
        blocking(|| cluster.node(node).command(&patient));
    }
    let (holder, waiter) = (
        client(servers(&cluster)).await,
        client(servers(&cluster)).await,
    );
    let r = one_per_master(&cluster).remove(0);
    let short = Attempt::new(r.clone(), Ttl::from_millis(2_000).unwrap()).with_floor(Floor::ZERO);
    let _held = holder.try_acquire(&short).await.unwrap();
    let wish = attempt(&r);
    let wait = waiter.acquire_within(&wish, long().as_duration());
    let freeze_and_thaw = async {
        until_queued(cluster.node(0), &r, 1).await;
        cluster.node_mut(0).freeze();
        // Each is given up after a second: two before the waiter asks, two while it does, and one more.
        for _ in 0..5 {
            let unanswered = holder.try_acquire(&short).await;
            assert!(
                matches!(unanswered, Err(AcquireError::Unknown(_))),
                "{unanswered:?}"
            );
        }
        cluster.node_mut(0).thaw();
    };
    let (waited, ()) = tokio::join!(within(wait), freeze_and_thaw);
    assert_eq!(waited.unwrap().release().await.unwrap(), Released::Released);
}

/// Waits until somebody listens on this node.
async fn until_heard(cluster: &RedisCluster, r: &Resource, node: usize) {
    let lease = prefix().lease_key(r);
    let tag = &lease[lease.find('{').unwrap()..=lease.find('}').unwrap()];
    let pattern = format!("app:wake:{tag}:*");
    let heard = async {
        let words = ["PUBSUB", "SHARDCHANNELS", pattern.as_str()];
        while blocking(|| cluster.node(node).command(&words))
            .trim()
            .is_empty()
        {
            tokio::task::yield_now().await;
        }
    };
    within(heard).await;
}
