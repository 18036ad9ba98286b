//! After losing all counters with many resources known to the guard, each first entry succeeds within
//! two extra round trips.
//!
//! `FENCED_SECTION_RESOURCES=1000000` plays it with a million; 2,000 is the least that meets both kinds of loss.

use std::env;

use crate::proxy::Proxy;
use crate::support::{Bench, LONG, resource, sections};

/// Acquire and open.
const ROUND_TRIPS: u64 = 2;
/// The mark and a second acquire, or a remint and a second open.
const EXTRA: u64 = 2;
/// All counters that there ever are.
const COUNTERS: u64 = 1024;

fn resources() -> i64 {
    match env::var("FENCED_SECTION_RESOURCES") {
        Ok(number) => number.parse().expect("a number of resources"),
        Err(_) => 2_000,
    }
}

#[tokio::test]
async fn each_first_entry_after_losing_all_counters_takes_at_most_two_extra_round_trips() {
    let bench = Bench::new("many").await;
    let known = include_str!("sql/known_resources.sql");
    let known = sqlx::query(known).bind(resources());
    known.execute(&bench.pool).await.unwrap();
    let redis = Proxy::to(&bench.redis_url).await;
    let postgres = Proxy::to(&bench.database_url).await;
    let through = (
        redis.url(&bench.redis_url),
        postgres.url(&bench.database_url),
    );
    let sections = sections(&through.0, &through.1).await;
    // A statement is prepared at its first use, in a round trip that has nothing to do with this.
    let warm = sections.enter(&resource("warm"), &LONG).await.unwrap();
    assert!(warm.leave().await.is_clean());
    let _: () = bench.redis("FLUSHALL").await;

    for i in 1..=resources() {
        let r = resource(&format!("r{i}"));
        let before = (redis.round_trips(), postgres.round_trips());
        let section = sections.enter(&r, &LONG).await.unwrap();
        let to_redis = redis.round_trips() - before.0;
        let to_postgres = postgres.round_trips() - before.1;
        let all = to_redis + to_postgres;
        assert!(
            all <= ROUND_TRIPS + EXTRA,
            "{r}: {to_redis} + {to_postgres} round trips"
        );
        assert!(!section.is_takeover());
        assert!(section.leave().await.is_clean());
    }
    // More than there are counters: not only missing ones were healed, but also those that a neighbour
    // in the bucket had brought back with a lower mark.
    let healed = sections.summary().healed;
    assert!(healed > COUNTERS, "{healed} healed");
    let keys: u64 = bench.redis("DBSIZE").await;
    assert!(keys <= COUNTERS, "{keys} keys");
    bench.must_be_sound().await;
}
