//! A client that is made while Redis is down.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use lease_lock::{
    AcquireError, Attempt, ConnectError, Floor, LeaseLock, Prefix, Released, Servers,
};
use redis::RedisError;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::support::{BOUND, Bench, long, poll_while, private_server, resource, within};

/// A call gives up after 1 s; a busy machine may be late to say so.
const FAILED_BY: Duration = Duration::from_secs(3);

/// Longer than the tries that one failed call leaves behind.
const QUIET: Duration = Duration::from_millis(1_500);

fn lazily(url: &str) -> LeaseLock {
    LeaseLock::connect_lazily(url, Prefix::new("lazy:").unwrap()).unwrap()
}

fn attempt(name: &str) -> Attempt {
    Attempt::new(resource(name), long()).with_floor(Floor::ZERO)
}

/// What a call fails with, and in time.
async fn failure(lock: &LeaseLock) -> RedisError {
    let started = Instant::now();
    let failed = lock.try_acquire(&attempt("r")).await;
    assert!(started.elapsed() < FAILED_BY, "{:?}", started.elapsed());
    match failed {
        Err(AcquireError::Unknown(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_client_that_is_made_without_redis_acquires_with_the_first_call_that_finds_it() {
    let mut server = private_server(&[]);
    server.kill_nine().unwrap();
    let eager = LeaseLock::connect(server.url(), Prefix::new("").unwrap()).await;
    assert!(
        matches!(eager, Err(ConnectError::Unreachable { .. })),
        "{eager:?}"
    );
    for calls in 0..3 {
        let lock = lazily(server.url());
        for _ in 0..calls {
            assert!(failure(&lock).await.is_io_error());
        }
        // Until the last call's own tries to reconnect are over; they leave no trace to wait for.
        tokio::time::sleep(QUIET).await;
        server.restart().unwrap();
        let lease = lock.try_acquire(&attempt("r")).await.unwrap();
        assert_eq!(lease.release().await.unwrap(), Released::Released);
        server.kill_nine().unwrap();
    }
    let preflight = LeaseLock::preflight(server.url()).await;
    assert!(
        matches!(preflight, Err(ConnectError::Unreachable { .. })),
        "{preflight:?}"
    );
}

/// It accepts the connection, and says nothing.
#[tokio::test]
async fn the_first_call_to_a_frozen_redis_fails_in_time_and_the_next_one_finds_it_thawed() {
    let mut server = private_server(&[]);
    server.freeze();
    let lock = lazily(server.url());
    for _ in 0..2 {
        assert!(failure(&lock).await.is_timeout());
    }
    server.thaw();
    let lease = lock.try_acquire(&attempt("r")).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

#[tokio::test]
async fn nothing_is_sent_before_the_first_call_and_nothing_asks_after_a_failed_one() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}/", listener.local_addr().unwrap());
    let knocks = Arc::new(AtomicU64::new(0));
    let counted = knocks.clone();
    // Whoever comes is sent away.
    let door = tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, SeqCst);
        }
    });
    let lock = lazily(&url);
    tokio::time::sleep(QUIET).await;
    assert_eq!(knocks.load(SeqCst), 0, "before the first call");

    let _ = failure(&lock).await;
    tokio::time::sleep(QUIET).await;
    let seen = knocks.load(SeqCst);
    assert!(seen > 0, "the call came here");
    tokio::time::sleep(QUIET).await;
    assert_eq!(knocks.load(SeqCst), seen, "after the last call");
    door.abort();
}

#[tokio::test]
async fn waiters_of_clients_that_were_made_without_redis_are_woken_over_one_connection_each() {
    let mut server = private_server(&[]);
    server.kill_nine().unwrap();
    let (holder, waiter) = (lazily(server.url()), lazily(server.url()));
    let wish = attempt("r");
    let failed = waiter.acquire_within(&wish, BOUND).await;
    assert!(
        matches!(failed, Err(AcquireError::Unknown(_))),
        "{failed:?}"
    );
    server.restart().unwrap();
    let bench = Bench::at(server.url(), "lazy:").await;
    let held = holder.try_acquire(&attempt("r")).await.unwrap();
    let wish = attempt("r");
    // The lease has a minute to live, so only a wake ends the wait in time.
    let mut waiting = pin!(waiter.acquire_within(&wish, 2 * BOUND));
    poll_while(waiting.as_mut(), bench.until_queued(&resource("r"), 1)).await;
    let clients: String = bench.redis("CLIENT LIST").await;
    // The bench has two, and each of the others has one.
    assert_eq!(clients.lines().count(), 4, "{clients}");
    assert_eq!(held.release().await.unwrap(), Released::Released);
    let lease = within(waiting).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

#[tokio::test]
async fn a_wrong_password_is_told_by_each_call_until_it_is_right() {
    let server = private_server(&[]);
    let bench = Bench::at(server.url(), "").await;
    let _: () = bench.redis("CONFIG SET requirepass right").await;
    let url = server.url().replace("//", "//:s3cret@");
    let eager = LeaseLock::connect(&url, Prefix::new("").unwrap()).await;
    let Err(ConnectError::Unreachable { source, .. }) = eager else {
        panic!("{eager:?}");
    };
    let lock = lazily(&url);
    for _ in 0..2 {
        let error = failure(&lock).await;
        assert_eq!(error.code(), Some("WRONGPASS"), "{error}");
        assert_eq!(error.to_string(), source.to_string());
        assert!(!format!("{error:?} {lock:?}").contains("s3cret"));
    }
    let _: () = bench.redis("CONFIG SET requirepass s3cret").await;
    let lease = lock.try_acquire(&attempt("r")).await.unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

/// It may not select its database any more, which it does on each new connection. One of its calls hears of it in a runtime that ends right after, and one of its waiters was queued.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_was_turned_away_comes_back_and_hears_wakes_as_soon_as_it_is_let_in() {
    let server = private_server(&[]);
    let url = format!("{}1", server.url());
    let bench = Bench::at(&url, "lazy:").await;
    let (r, lock) = (resource("r"), lazily(&url));
    let _held = bench.acquire(&r).await;
    let wait = |lock: LeaseLock, attempt: Attempt| {
        tokio::spawn(async move { lock.acquire_within(&attempt, 6 * BOUND).await })
    };
    let turned_away = wait(lock.clone(), attempt("r"));
    bench.until_queued(&r, 1).await;
    let _: () = bench.redis("ACL SETUSER default -select").await;
    let _: u64 = bench.redis("CLIENT KILL TYPE pubsub").await;
    let error = within(turned_away).await.unwrap().unwrap_err();
    let is_turned_away = |error: &RedisError| error.to_string().contains("switch database");
    assert!(
        matches!(&error, AcquireError::Unknown(error) if is_turned_away(error)),
        "{error:?}"
    );
    let calls = lock.clone();
    let elsewhere = tokio::task::spawn_blocking(move || {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_all().build().unwrap();
        runtime.block_on(failure(&calls))
    });
    assert!(is_turned_away(&within(elsewhere).await.unwrap()));

    let _: () = bench.redis("ACL SETUSER default +select").await;
    // Another resource: the waiter that was turned away could not leave its queue.
    let r = resource("r2");
    let held = bench.acquire(&r).await;
    let waiting = wait(lock, attempt("r2"));
    bench.until_queued(&r, 1).await;
    // The lease has a minute to live, so only a wake ends the wait in time.
    assert_eq!(held.release().await.unwrap(), Released::Released);
    let lease = within(waiting).await.unwrap().unwrap();
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

#[tokio::test]
async fn what_is_wrong_in_the_description_is_an_error_at_once() {
    let prefix = || Prefix::new("").unwrap();
    for url in [
        "redis://me:s3cret@:99999999/",
        "http://me:s3cret@localhost/",
        "redis://localhost/zero",
    ] {
        let error = LeaseLock::connect_lazily(url, prefix()).unwrap_err();
        assert!(matches!(error, ConnectError::Url(_)), "{error:?}");
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
    let nobody = Servers::sentinel(Vec::<String>::new(), "leases");
    let error = LeaseLock::connect_lazily(nobody, prefix()).unwrap_err();
    assert!(matches!(error, ConnectError::Url(_)), "{error:?}");
    let cluster = Servers::cluster(["redis://127.0.0.1:1/"]);
    let error = LeaseLock::connect_lazily(cluster, prefix()).unwrap_err();
    assert!(matches!(error, ConnectError::ClusterLazily), "{error:?}");
}
