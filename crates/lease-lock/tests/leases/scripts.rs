//! How the scripts reach Redis, and how often.

use std::collections::BTreeMap;

use lease_lock::Released;

use crate::support::{Bench, long, resource};

#[tokio::test]
async fn c16_scripts_that_vanished_are_loaded_again() {
    let bench = Bench::new("vanished").await;
    let r = resource("r");
    let _: () = bench.redis("SCRIPT FLUSH").await;
    let mut lease = bench.acquire(&r).await;
    let _: () = bench.redis("SCRIPT FLUSH").await;
    lease.renew(long()).await.unwrap();
    let _: () = bench.redis("SCRIPT FLUSH").await;
    lease.remint(lease.fence().as_floor()).await.unwrap();
    let _: () = bench.redis("SCRIPT FLUSH").await;
    assert_eq!(lease.release().await.unwrap(), Released::Released);
}

#[tokio::test]
async fn an_uncontended_lease_is_two_commands_from_the_first_one_on() {
    // A server of its own: nobody else may add to its counts.
    let bench = Bench::at_private_server().await;
    let r = resource("r");
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    // Twice on one connection: a stray command of the first pair would run before the second.
    for _ in 0..2 {
        let lease = bench.acquire(&r).await;
        assert_eq!(lease.release().await.unwrap(), Released::Released);
    }
    let expected = [
        ("config", 1), // ours
        ("evalsha", 4),
        ("get", 6),
        ("getex", 2),
        ("incr", 2),
        ("set", 3), // two leases, and the counter from its floor
        ("del", 2),
        ("exists", 4), // does anybody wait?
    ];
    let expected: BTreeMap<_, _> = expected
        .map(|(name, count)| (name.to_owned(), count))
        .into();
    assert_eq!(bench.calls().await, expected);
}
