//! A user that may touch its own prefix, and no more than the README says it needs.

use std::time::Duration;

use lease_lock::{AcquireError, Attempt, Floor, LeaseLock, Prefix, Released};

use crate::support::{Bench, long, private_server, resource, within};

/// The line of the README that makes the user `app`.
fn documented() -> &'static str {
    let readme = include_str!("../../README.md");
    let mut lines = readme.lines();
    lines
        .find(|line| line.starts_with("ACL SETUSER app "))
        .expect("the README has the line")
}

fn app(prefix: &str) -> Prefix {
    Prefix::new(prefix).unwrap()
}

#[tokio::test]
async fn a_user_limited_to_its_prefix_can_do_everything_that_a_client_does() {
    let server = private_server(&[]);
    let admin = Bench::at(server.url(), "admin:").await;
    let _: () = admin.redis(documented()).await;
    let url = server.url().replace("//", "//app:secret@");
    let lock = LeaseLock::connect(&url, app("app:")).await.unwrap();
    let other = LeaseLock::connect(&url, app("app:")).await.unwrap();
    let r = resource("r");
    let attempt = Attempt::new(r.clone(), long()).with_floor(Floor::ZERO);

    let mut lease = lock.try_acquire(&attempt).await.unwrap();
    lease.renew(long()).await.unwrap();
    let above = Floor::new(lease.fence().get()).unwrap();
    lease.remint(above).await.unwrap();
    // One waits in the queue, is woken, and leaves it.
    let waiting = Attempt::new(r.clone(), long());
    let wait = other.acquire_within(&waiting, long().as_duration());
    let release = async {
        let queue = lock.prefix().queue_key(&r);
        within(async { while admin.redis::<u64>(format!("ZCARD {queue}")).await == 0 {} }).await;
        lease.release().await.unwrap()
    };
    let (waited, released) = tokio::join!(within(wait), release);
    assert_eq!(released, Released::Released);
    let waited = waited.unwrap();
    // One gives up, and is taken out of the queue.
    let wish = Attempt::new(r.clone(), long());
    let gives_up = lock.acquire_within(&wish, Duration::from_millis(50));
    assert!(matches!(gives_up.await, Err(AcquireError::Held { .. })));
    assert_eq!(waited.release().await.unwrap(), Released::Released);
    // A server that forgot the scripts gets them again.
    let _: () = admin.redis("SCRIPT FLUSH").await;
    let again = lock.try_acquire(&Attempt::new(r, long())).await.unwrap();
    assert_eq!(again.release().await.unwrap(), Released::Released);
}

#[tokio::test]
async fn a_user_limited_to_its_prefix_is_refused_elsewhere_and_it_is_no_contention() {
    let server = private_server(&[]);
    let admin = Bench::at(server.url(), "admin:").await;
    let _: () = admin.redis(documented()).await;
    let url = server.url().replace("//", "//app:secret@");
    let lock = LeaseLock::connect(&url, app("billing:")).await.unwrap();
    let attempt = Attempt::new(resource("r"), long()).with_floor(Floor::ZERO);
    let refused = lock.try_acquire(&attempt).await;
    let Err(AcquireError::Unknown(error)) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!(error.code(), Some("NOPERM"), "{error}");
    let keys: u64 = admin.redis("DBSIZE").await;
    assert_eq!(keys, 0, "a refused user leaves nothing behind");
}
