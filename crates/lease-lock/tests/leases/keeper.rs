//! Leases that are renewed for their holders.

use std::time::{Duration, Instant};

use lease_lock::{Attempt, Floor, Lease, LeaseLock, Released, Resource, Ttl};

use crate::support::{BOUND, Bench, resource, within};

/// Long enough to miss two beats on a busy machine, short enough to see several.
const TTL: Duration = Duration::from_millis(3_000);

/// More than two TTLs: without a renewal the lease is gone.
const A_WHILE: Duration = Duration::from_millis(6_500);

async fn short(lock: &LeaseLock, r: &Resource, ttl: Duration) -> Lease {
    let ttl = Ttl::try_from(ttl).unwrap();
    let attempt = Attempt::new(r.clone(), ttl).with_floor(Floor::ZERO);
    lock.try_acquire(&attempt).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_lease_outlives_its_ttl_and_ends_with_its_release() {
    let bench = Bench::new("kept").await;
    let r = resource("r");
    let kept = short(&bench.lock, &r, TTL).await.keep(6 * BOUND);
    let value = bench.lease_value(&r).await;
    tokio::time::sleep(A_WHILE).await;
    assert!(kept.permit().is_ok());
    assert!(kept.remaining() > Duration::ZERO && kept.remaining() <= TTL);
    assert_eq!(bench.lease_value(&r).await, value);
    assert_eq!(kept.release().await.unwrap(), Released::Released);
    assert_eq!(bench.lease_value(&r).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_kept_lease_is_given_back() {
    let bench = Bench::new("kept-dropped").await;
    let r = resource("r");
    drop(short(&bench.lock, &r, TTL).await.keep(BOUND));
    bench.until_free(&r).await;
}

/// Three ways to end a kept lease, and the next lease of the same name, by the same client.
#[tokio::test(flavor = "multi_thread")]
async fn c4_after_its_lease_the_keeper_renews_nothing_and_least_of_all_the_next_one() {
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let released = short(&bench.lock, &r, TTL).await.keep(6 * BOUND);
    assert_eq!(released.release().await.unwrap(), Released::Released);
    drop(short(&bench.lock, &r, TTL).await.keep(6 * BOUND));
    bench.until_free(&r).await;
    let kept = short(&bench.lock, &r, TTL).await.keep(6 * BOUND);
    let task = tokio::spawn(async move { kept.lost().await });
    tokio::task::yield_now().await;
    task.abort();
    bench.until_free(&r).await;

    let next = bench.acquire(&r).await;
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    tokio::time::sleep(TTL).await;
    let calls = bench.calls().await;
    assert!(!calls.contains_key("evalsha"), "{calls:?}");
    assert!(next.permit().is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_the_keeper_of_a_lease_that_was_taken_over_leaves_the_successor_alone() {
    let bench = Bench::new("kept-over").await;
    let r = resource("r");
    let late = short(&bench.lock, &r, TTL).await.keep(6 * BOUND);
    let key = bench.lease_key(&r);
    let _: i64 = bench.redis(format!("DEL {key}")).await;
    let successor = bench.acquire(&r).await;
    within(late.lost()).await;
    assert!(late.permit().is_err());
    let left: u64 = bench.redis(format!("PTTL {key}")).await;
    assert!(left > 40_000, "the keeper has shortened it to {left} ms");
    let by = successor.fence();
    assert_eq!(late.release().await.unwrap(), Released::TakenOver { by });
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_a_beat_missed_by_a_cut_connection_is_made_up_for() {
    let bench = Bench::new("kept-cut").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let lock = bench.through(&proxy).await;
    let ttl = Duration::from_secs(3);
    let kept = short(&lock, &r, ttl).await.keep(6 * BOUND);
    // The next beat finds its request swallowed, and then its connection cut.
    proxy.hold_requests_from("EVALSHA");
    within(proxy.caught()).await;
    proxy.cut();
    proxy.pass();
    let end = Instant::now() + 2 * ttl;
    while Instant::now() < end {
        assert!(kept.permit().is_ok(), "lost with the connection");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(kept.release().await.unwrap(), Released::Released);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_lease_is_lost_at_the_end_of_its_longest_time() {
    let bench = Bench::new("max").await;
    let r = resource("r");
    let max_hold = Duration::from_millis(5_000);
    let lease = short(&bench.lock, &r, TTL).await;
    let started = Instant::now();
    let kept = lease.keep(max_hold);
    within(kept.lost()).await;
    let held = started.elapsed();
    assert!(held > TTL, "it was not renewed: {held:?}");
    assert!(held < max_hold + TTL / 2, "it was held for {held:?}");
    assert!(kept.permit().is_err());
    bench.until_free(&r).await;
    assert_eq!(kept.release().await.unwrap(), Released::Expired);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_longest_time_below_the_ttl_counts() {
    let bench = Bench::new("max-short").await;
    let lease = bench.acquire(&resource("r")).await;
    let kept = lease.keep(Duration::from_millis(300));
    assert!(kept.remaining() <= Duration::from_millis(300));
    within(kept.lost()).await;
}

/// The server is asked for nothing any more, so it still has the lease when the loss is raised.
#[tokio::test(flavor = "multi_thread")]
async fn the_loss_is_raised_before_the_server_can_grant_to_another() {
    let bench = Bench::new("kept-before").await;
    let r = resource("r");
    let proxy = bench.proxy().await;
    let lock = bench.through(&proxy).await;
    // A margin of 1 %, which is a long time here.
    let ttl = Duration::from_secs(5);
    let kept = short(&lock, &r, ttl).await.keep(6 * BOUND);
    proxy.hold_requests();
    tokio::time::timeout(2 * ttl, kept.lost()).await.unwrap();
    // A busy machine may wake this task late. Then there is nothing to see, but nothing wrong.
    let late = kept.permit().unwrap_err().ago;
    if late < ttl / 200 {
        assert!(bench.lease_value(&r).await.is_some());
    }
    proxy.close();
}

/// The thread is blocked, and with it the only thread of the runtime: no timer fires, no keeper runs.
#[tokio::test(flavor = "current_thread")]
async fn c6_a_thread_blocked_past_its_lease_sees_the_loss_before_its_permit() {
    let bench = Bench::new("blocked").await;
    let lease = short(&bench.lock, &resource("plain"), TTL).await;
    let kept = short(&bench.lock, &resource("kept"), TTL)
        .await
        .keep(6 * BOUND);
    // Redis would even renew it: what is lost is not what Redis has forgotten.
    let key = bench.lease_key(kept.resource());
    let _: i64 = bench.redis(format!("PEXPIRE {key} 600000")).await;
    std::thread::sleep(TTL + Duration::from_millis(100));
    assert!(lease.permit().is_err());
    assert!(kept.permit().is_err());

    // Nor does the keeper, which runs again now, bring it back: its holder has been told.
    tokio::time::timeout(Duration::from_millis(50), lease.lost())
        .await
        .unwrap();
    within(kept.lost()).await;
    tokio::time::sleep(TTL / 2).await;
    assert!(kept.permit().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trouble_of_one_kept_lease_is_not_that_of_another() {
    let bench = Bench::new("neighbours").await;
    let mut kept = Vec::new();
    for n in 0..8 {
        let r = resource(&format!("r{n}"));
        kept.push(short(&bench.lock, &r, TTL).await.keep(6 * BOUND));
    }
    // One is gone, and where another one was there is something that no renewal can be made of.
    let key = |n: usize| bench.lease_key(kept[n].resource());
    let _: i64 = bench.redis(format!("DEL {}", key(0))).await;
    let _: () = bench.redis(format!("SET {} nonsense", key(1))).await;
    within(kept[0].lost()).await;
    within(kept[1].lost()).await;
    tokio::time::sleep(A_WHILE).await;
    for lease in &kept[2..] {
        assert!(lease.permit().is_ok(), "{}", lease.resource());
    }
}

#[test]
fn dropping_a_kept_lease_while_its_runtime_shuts_down_does_not_panic() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (lease, kept) = runtime.block_on(async {
        let bench = Bench::new("kept-shutdown").await;
        let kept = bench.acquire(&resource("kept")).await.keep(BOUND);
        (bench.acquire(&resource("later")).await, kept)
    });
    drop(runtime);
    drop(kept);
    drop(lease.keep(BOUND));
}
