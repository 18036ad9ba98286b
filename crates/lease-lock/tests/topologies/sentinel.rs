//! A master that Sentinel replaces.

use std::time::Duration;

use lease_lock::lookalike::{DedupWindow, Seen};
use lease_lock::{AcquireError, Attempt, ConnectError, Floor, LeaseLock, Released, RenewError};
use lease_lock::{Servers, Ttl};
use testbed::{Options, RedisSentinel};

use crate::support::{
    attempt, blocking, client, is_woken, long, mark, prefix, resource, until, until_granted,
    until_queued, within,
};

fn start() -> RedisSentinel {
    blocking(|| RedisSentinel::start(&Options::throw_away()))
}

fn servers(set: &RedisSentinel) -> Servers {
    Servers::sentinel(set.sentinels(), set.name())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_follows_the_master_that_sentinel_chooses() {
    let mut set = start();
    let lock = client(servers(&set)).await;
    let r = resource("r");
    let first = lock.try_acquire(&attempt(&r)).await.unwrap();
    let fence = first.fence();
    // The replica is in sync: it has the counter, and the lease.
    assert_eq!(first.release().await.unwrap(), Released::Released);
    blocking(|| set.await_replicated(0));

    blocking(|| set.node_mut(0).kill_nine());
    let down = lock.try_acquire(&attempt(&r)).await;
    assert!(matches!(down, Err(AcquireError::Unknown(_))), "{down:?}");
    let mut lease = until_granted(&lock, &attempt(&r)).await;
    assert!(lease.fence() > fence);
    lease.renew(long()).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn c23_a_failover_to_a_lagging_replica_repeats_a_number_and_a_remint_goes_above_it() {
    let mut set = start();
    let lock = client(servers(&set)).await;
    let r = resource("r");
    let seen = lock.try_acquire(&attempt(&r)).await.unwrap();
    assert_eq!(seen.release().await.unwrap(), Released::Released);
    blocking(|| set.await_replicated(0));

    blocking(|| set.stop_replicating(0));
    let old = lock.try_acquire(&attempt(&r)).await.unwrap();
    blocking(|| set.node_mut(0).kill_nine());
    // What makes the guard necessary: the old lease is alive, and its very number is granted again.
    let mut new = until_granted(&lock, &attempt(&r)).await;
    assert_eq!(new.fence(), old.fence());
    assert_ne!(new.holder(), old.holder());
    assert!(old.permit().is_ok(), "its TTL is long");

    let healed = new.remint(mark(&old)).await.unwrap();
    assert!(healed > old.fence());
    assert_eq!(
        old.release().await.unwrap(),
        Released::TakenOver { by: healed }
    );
}

/// A frozen master accepts connections and says nothing: only asking Sentinel again helps.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_leaves_a_frozen_master_and_does_not_come_back_when_it_thaws() {
    let mut set = start();
    let lock = client(servers(&set)).await;
    let r = resource("r");
    blocking(|| set.stop_replicating(0));
    let mut old = lock.try_acquire(&attempt(&r)).await.unwrap();

    set.node_mut(0).freeze();
    let unanswered = old.renew(long()).await;
    assert!(
        matches!(unanswered, Err(RenewError::Unknown(_))),
        "{unanswered:?}"
    );
    blocking(|| set.await_master_other_than(0));
    let other = client(servers(&set)).await;
    let new = until_granted(&other, &attempt(&r).with_floor(mark(&old))).await;

    set.node_mut(0).thaw();
    let renewed = within(async {
        loop {
            match old.renew(long()).await {
                Err(RenewError::Unknown(_)) => {}
                answer => return answer,
            }
        }
    })
    .await;
    assert!(
        matches!(renewed, Err(RenewError::TakenOver { by, .. }) if by == new.fence()),
        "{renewed:?}"
    );
}

/// Its connections stay, so that only its own answer tells that it is no master any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_asks_sentinel_again_when_its_master_says_that_it_is_a_replica() {
    let set = start();
    let lock = client(servers(&set)).await;
    let r = resource("r");
    let error = async || match lock.try_acquire(&attempt(&r)).await {
        Err(AcquireError::Unknown(error)) => error.to_string().to_uppercase(),
        other => panic!("{other:?}"),
    };
    let other = set.node(1).port().to_string();
    blocking(|| set.node(0).command(&["REPLICAOF", "127.0.0.1", &other]));
    // Before Redis 7 a script puts its own name in front of the word.
    assert!(error().await.contains("READONLY"));
    // Sentinel names nobody until it has looked: that is another error than the old connection's.
    assert!(!error().await.contains("READONLY"));

    blocking(|| set.node(0).command(&["REPLICAOF", "NO", "ONE"]));
    let lease = until_granted(&lock, &attempt(&r)).await;
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

/// It accepts connections and says nothing, as one whose machine is cut off: the first one that is asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_sentinel_at_the_head_of_the_list_keeps_nobody_out() {
    let set = start();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut urls = set.sentinels();
    urls.insert(0, format!("redis://{}/", silent.local_addr().unwrap()));
    let lock = client(Servers::sentinel(urls, set.name())).await;
    blocking(|| set.node(0).command(&["CLIENT", "KILL", "TYPE", "normal"]));
    let lease = until_granted(&lock, &attempt(&resource("r"))).await;
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

/// The call gives its connection up, and with it what was listened to.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_not_answered_deafens_no_waiter_of_its_client() {
    let set = start();
    let (holder, waiter) = (client(servers(&set)).await, client(servers(&set)).await);
    let r = resource("r");
    let lease = holder.try_acquire(&attempt(&r)).await.unwrap();
    let wish = attempt(&r);
    let wait = waiter.acquire_within(&wish, long().as_duration());
    let disturb_and_release = async {
        until_queued(set.node(0), &r, 1).await;
        blocking(|| set.node(0).command(&["CLIENT", "PAUSE", "1300", "WRITE"]));
        let unanswered = waiter.try_acquire(&attempt(&resource("other"))).await;
        assert!(
            matches!(unanswered, Err(AcquireError::Unknown(_))),
            "{unanswered:?}"
        );
        drop(until_granted(&holder, &attempt(&resource("another"))).await);
        until_one_listens(&set).await;
        lease.release().await.unwrap()
    };
    let (waited, released) = tokio::join!(within(wait), disturb_and_release);
    assert_eq!(released, Released::Released);
    assert_eq!(waited.unwrap().release().await.unwrap(), Released::Released);
}

async fn until_one_listens(set: &RedisSentinel) {
    let words = ["PUBSUB", "CHANNELS", "app:wake:*"];
    let listens = async {
        while blocking(|| set.node(0).command(&words)).trim().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    within(listens).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_lease_is_renewed_by_the_new_master() {
    let mut set = start();
    let lock = client(servers(&set)).await;
    let wish = Attempt::new(resource("r"), Ttl::from_millis(20_000).unwrap());
    let kept = lock
        .try_acquire(&wish.with_floor(Floor::ZERO))
        .await
        .unwrap();
    let kept = kept.keep(long().as_duration());
    blocking(|| set.await_replicated(0));
    blocking(|| set.node_mut(0).kill_nine());
    blocking(|| set.await_master_other_than(0));
    let renewed = || kept.remaining() > Duration::from_secs(15);
    until(|| !renewed()).await;
    until(renewed).await;
    assert_eq!(kept.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_alike_leaves_a_frozen_master_as_a_lease_does() {
    let mut set = start();
    let lock = client(servers(&set)).await;
    let window = DedupWindow::new(&lock, long());
    assert_eq!(window.note("order:1").await.unwrap(), Seen::First);
    blocking(|| set.await_replicated(0));
    set.node_mut(0).freeze();
    assert!(window.note("order:1").await.is_err());
    blocking(|| set.await_master_other_than(0));
    let seen = within(async {
        loop {
            if let Ok(seen) = window.note("order:1").await {
                return seen;
            }
        }
    });
    assert_eq!(seen.await, Seen::Again);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiters_are_woken_on_the_first_master_and_on_the_next_one() {
    let mut set = start();
    let (holder, waiter) = (client(servers(&set)).await, client(servers(&set)).await);
    for round in 0..2 {
        let r = resource(&format!("r{round}"));
        is_woken(set.node(round), &holder, &waiter, &r).await;
        if round == 0 {
            blocking(|| set.node_mut(0).kill_nine());
            blocking(|| set.await_master_other_than(0));
            // The waiting client has noticed by now, or notices with this.
            drop(until_granted(&waiter, &attempt(&resource("other"))).await);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_sentinel_that_answers_is_enough_and_an_unknown_name_is_an_error() {
    let set = start();
    let mut urls = set.sentinels();
    urls.insert(0, "redis://127.0.0.1:1/".to_owned());
    urls.truncate(2);
    let lock = client(Servers::sentinel(urls, set.name())).await;
    let lease = lock.try_acquire(&attempt(&resource("r"))).await.unwrap();
    assert!(lease.remaining() > Duration::ZERO);

    let nobody = Servers::sentinel(set.sentinels(), "nobody");
    let error = LeaseLock::connect(nobody, prefix()).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::Unreachable { .. }),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("nobody of the sentinels"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn preflight_looks_at_the_master_behind_sentinel() {
    let set = start();
    let looks = LeaseLock::preflight(servers(&set)).await.unwrap();
    assert_eq!(looks.len(), 1);
    assert!(
        looks[0].to_string().contains("a master with 1 replicas"),
        "{}",
        looks[0]
    );
}
