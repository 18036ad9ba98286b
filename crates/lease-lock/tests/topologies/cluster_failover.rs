//! A master of a Cluster that is killed, frozen, or loses a slot.

use std::time::Duration;

use lease_lock::{AcquireError, Attempt, Floor, Released, RenewError, Ttl};

use crate::cluster::{master, one_per_master, servers, slot, start};
use crate::support::{attempt, blocking, client, long, mark, until, until_granted, within};

#[tokio::test(flavor = "multi_thread")]
async fn when_a_master_is_killed_its_replica_grants_and_leases_of_other_masters_live_on() {
    let mut cluster = start();
    let lock = client(servers(&cluster)).await;
    let [r, elsewhere, _] = one_per_master(&cluster).try_into().unwrap();
    let mut kept = lock.try_acquire(&attempt(&elsewhere)).await.unwrap();
    let lost = lock.try_acquire(&attempt(&r)).await.unwrap();
    let fence = lost.fence();
    assert_eq!(lost.release().await.unwrap(), Released::Released);
    blocking(|| cluster.await_replicated(0));

    blocking(|| cluster.node_mut(0).kill_nine());
    let down = lock.try_acquire(&attempt(&r)).await;
    assert!(matches!(down, Err(AcquireError::Unknown(_))), "{down:?}");
    let mut lease = until_granted(&lock, &attempt(&r)).await;
    assert!(lease.fence() > fence);
    lease.renew(long()).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
    kept.renew(long()).await.unwrap();
    assert_eq!(kept.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn c23_a_lagging_replica_of_a_cluster_repeats_a_number_and_a_remint_goes_above_it() {
    let mut cluster = start();
    let lock = client(servers(&cluster)).await;
    let r = one_per_master(&cluster).remove(0);
    let seen = lock.try_acquire(&attempt(&r)).await.unwrap();
    assert_eq!(seen.release().await.unwrap(), Released::Released);
    blocking(|| cluster.await_replicated(0));

    blocking(|| cluster.stop_replicating(0));
    let old = lock.try_acquire(&attempt(&r)).await.unwrap();
    blocking(|| cluster.node_mut(0).kill_nine());
    let mut new = until_granted(&lock, &attempt(&r)).await;
    assert_eq!(new.fence(), old.fence());
    let healed = new.remint(mark(&old)).await.unwrap();
    assert!(healed > old.fence());
    assert_eq!(
        old.release().await.unwrap(),
        Released::TakenOver { by: healed }
    );
}

/// Nobody tells a client whose node is frozen that its slots have another master.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_leaves_a_frozen_master_without_being_told() {
    let mut cluster = start();
    let lock = client(servers(&cluster)).await;
    let r = one_per_master(&cluster).remove(0);
    let slot = slot(&cluster, &r);
    let mut old = lock.try_acquire(&attempt(&r)).await.unwrap();
    blocking(|| cluster.await_replicated(0));

    cluster.node_mut(0).freeze();
    let unanswered = old.renew(long()).await;
    assert!(
        matches!(unanswered, Err(RenewError::Unknown(_))),
        "{unanswered:?}"
    );
    blocking(|| cluster.await_master_of(slot, 0));
    let renewed = within(async {
        loop {
            match old.renew(long()).await {
                Err(RenewError::Unknown(_)) => {}
                answer => return answer,
            }
        }
    })
    .await;
    renewed.unwrap();
    assert_eq!(old.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_moves_with_its_slot_and_its_client_follows() {
    let cluster = start();
    let lock = client(servers(&cluster)).await;
    let r = one_per_master(&cluster).remove(0);
    let mut lease = lock.try_acquire(&attempt(&r)).await.unwrap();
    let moved = slot(&cluster, &r);

    let moving = blocking(|| cluster.begin_move(moved, 1));
    // Its lease is there, so one that is held is served while the slot is on the move.
    lease.renew(long()).await.unwrap();
    while blocking(|| moving.move_keys(10)) > 0 {}
    // Its key is on the other node already, and the first one says so.
    lease.renew(long()).await.unwrap();
    blocking(|| moving.finish());
    assert_eq!(master(&cluster, &r), 1);
    lease.renew(long()).await.unwrap();
    let held = lock.try_acquire(&attempt(&r)).await;
    assert!(
        matches!(held, Err(AcquireError::Held { by, .. }) if by == lease.fence()),
        "{held:?}"
    );
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

/// What a node does not answer is asked of nobody else, and nobody else waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_node_that_is_asked_all_the_time_costs_no_lease_of_another_node() {
    let mut cluster = start();
    let patient = ["CONFIG", "SET", "cluster-node-timeout", "60000"];
    (0..6).for_each(|node| drop(blocking(|| cluster.node(node).command(&patient))));
    let lock = client(servers(&cluster)).await;
    let [frozen, elsewhere, _] = one_per_master(&cluster).try_into().unwrap();
    let ttl = Ttl::from_millis(1_500).unwrap();
    let wish = Attempt::new(elsewhere, ttl).with_floor(Floor::ZERO);
    let kept = lock.try_acquire(&wish).await.unwrap();
    let kept = kept.keep(long().as_duration());

    cluster.node_mut(0).freeze();
    for _ in 0..6 {
        let unanswered = lock.try_acquire(&attempt(&frozen)).await;
        assert!(
            matches!(unanswered, Err(AcquireError::Unknown(_))),
            "{unanswered:?}"
        );
    }
    assert!(
        kept.permit().is_ok(),
        "it is lost after several of its ttls"
    );
    assert_eq!(kept.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_lease_is_renewed_by_the_new_master_of_its_slot() {
    let mut cluster = start();
    let lock = client(servers(&cluster)).await;
    let r = one_per_master(&cluster).remove(0);
    let slot = slot(&cluster, &r);
    let wish = Attempt::new(r, Ttl::from_millis(20_000).unwrap()).with_floor(Floor::ZERO);
    let kept = lock.try_acquire(&wish).await.unwrap();
    let kept = kept.keep(long().as_duration());
    blocking(|| cluster.await_replicated(0));
    blocking(|| cluster.node_mut(0).kill_nine());
    blocking(|| cluster.await_master_of(slot, 0));
    let renewed = || kept.remaining() > Duration::from_secs(15);
    until(|| !renewed()).await;
    until(renewed).await;
    assert_eq!(kept.release().await.unwrap(), Released::Released);
}
