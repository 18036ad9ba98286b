//! Finding Redis, losing it, finding it again.

use std::error::Error;
use std::time::Duration;

use lease_lock::{AcquireError, Attempt, ConnectError, Floor, LeaseLock, Prefix};

use crate::support::{Bench, long, private_server, resource};

fn all_that_it_says(error: &ConnectError) -> String {
    let mut text = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(" {error} {error:?}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn no_error_of_a_connection_tells_the_password() {
    let server = private_server(&[]);
    let bench = Bench::at(server.url(), "").await;
    let _: () = bench.redis("CONFIG SET requirepass right").await;
    let with = |password| server.url().replace("//", &format!("//:{password}@"));
    for (url, expected) in [
        ("redis://me:s3cret@:99999999/".to_owned(), "not a Redis URL"),
        ("http://me:s3cret@localhost/".to_owned(), "not a Redis URL"),
        ("redis://me:s3cret@127.0.0.1:1/".to_owned(), "no connection"),
        (with("s3cret"), "no connection"),
    ] {
        let prefix = Prefix::new("").unwrap();
        let error = LeaseLock::connect(&url, prefix).await.unwrap_err();
        let said = all_that_it_says(&error);
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    let prefix = Prefix::new("").unwrap();
    let lock = LeaseLock::connect(&with("right"), prefix).await.unwrap();
    assert!(!format!("{lock:?}").contains("right"));
}

#[tokio::test]
async fn while_redis_is_away_calls_fail_and_the_first_one_afterwards_succeeds() {
    let mut server = private_server(&[]);
    let bench = Bench::at(server.url(), "away:").await;
    let r = resource("r");
    let _ = bench.acquire(&r).await.release().await.unwrap();

    server.kill_nine().unwrap();
    let attempt = Attempt::new(r, long()).with_floor(Floor::ZERO);
    for _ in 0..2 {
        let failed = bench.lock.try_acquire(&attempt).await;
        assert!(
            matches!(failed, Err(AcquireError::Unknown(_))),
            "{failed:?}"
        );
    }
    // Nobody calls until the client has given its last reconnect up, and keeps the error of it. That
    // leaves no trace to wait for; it takes 0.6 s at most.
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.restart().unwrap();
    let lease = bench.lock.try_acquire(&attempt).await.unwrap();
    assert_eq!(lease.holder(), attempt.holder());
}

/// The script asks with `pcall`, and must not take the server's own refusal for a broken counter.
#[tokio::test]
async fn a_read_only_replica_says_that_it_is_one() {
    let bench = Bench::at_private_server().await;
    let _: () = bench.redis("REPLICAOF 127.0.0.1 1").await;
    let refused = bench.lock.try_acquire(&bench.attempt(&resource("r"))).await;
    let Err(AcquireError::Unknown(error)) = refused else {
        panic!("{refused:?}");
    };
    // Before Redis 7 a script puts its own name in front of the word.
    assert!(
        error.to_string().to_uppercase().contains("READONLY"),
        "{error}"
    );
}
