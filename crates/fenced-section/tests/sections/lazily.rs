//! A service that comes up while Redis is down.

use std::time::{Duration, Instant};

use fenced_section::{EnterError, LeaseLock, Prefix, Sections};

use crate::support::{Bench, LONG, resource, within};

/// It fails closed after two calls of 1 s each; a busy machine may be late to say so.
const FAILED_BY: Duration = Duration::from_secs(5);

#[tokio::test]
async fn a_service_that_starts_without_redis_works_at_once_and_enters_when_redis_is_back() {
    let mut bench = Bench::new("lazily").await;
    let r = resource("r");
    assert!(bench.enter(&r).await.leave().await.is_clean());
    bench.server.kill_nine().unwrap();

    let locks = LeaseLock::connect_lazily(&bench.redis_url, Prefix::new("test:").unwrap());
    let sections = Sections::new(locks.unwrap(), bench.guard.clone());
    let minted = sections.enter_from_guard(&r, &LONG).await.unwrap();
    let written = minted.run(async |open| bench.write(open, "minted").await);
    written.await.unwrap().unwrap();
    assert!(minted.leave().await.is_clean());
    assert_eq!(sections.run_unfenced(async { 7 }).await, 7);
    let started = Instant::now();
    let closed = within(sections.enter(&r, &LONG)).await;
    assert!(started.elapsed() < FAILED_BY, "{:?}", started.elapsed());
    assert!(matches!(closed, Err(EnterError::Redis(_))), "{closed:?}");

    bench.server.restart().unwrap();
    let section = sections.enter(&r, &LONG).await.unwrap();
    assert!(section.fence().get() > 2, "above what the guard has minted");
    let written = section.run(async |open| bench.write(open, "leased").await);
    written.await.unwrap().unwrap();
    assert!(section.leave().await.is_clean());
    assert_eq!(bench.notes().await, ["leased", "minted"]);
    bench.must_be_sound().await;
}
