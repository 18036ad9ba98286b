//! `ledger doctor` on a Redis that is not fit to number holders, or that stands still.

use serde_json::Value;
use testbed::{Options, RedisServer};

use crate::support::{Stage, answer, ledger};

/// What it finds with this Redis.
async fn looked_at(redis: &RedisServer) -> Vec<Value> {
    let stage = Stage::new().await;
    let mut command = ledger(stage.url());
    command
        .args(["doctor", "--format", "json"])
        .env("REDIS_URL", redis.url());
    let asked = answer(&mut command).await;
    assert_eq!(asked.code, Some(1), "{asked:?}");
    let lines = asked.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

#[track_caller]
fn about<'a>(found: &'a [Value], about: &str) -> &'a Value {
    let diagnosis = found.iter().find(|row| row["about"] == about);
    diagnosis.unwrap_or_else(|| panic!("nothing about {about} in {found:#?}"))
}

#[tokio::test]
async fn a_redis_that_evicts_counters_is_an_error_that_says_what_it_means() {
    let options = Options::throw_away()
        .redis_config("maxmemory", "100mb")
        .redis_config("maxmemory-policy", "allkeys-lru");
    let redis = RedisServer::start(&options).unwrap();
    let found = looked_at(&redis).await;
    let eviction = about(&found, "redis, eviction");
    assert_eq!(
        (&eviction["severity"], &eviction["observed"]),
        (&"error".into(), &"allkeys-lru".into())
    );
    let meaning = eviction["meaning"].as_str();
    assert!(
        meaning.is_some_and(|text| text.contains("noeviction")),
        "{eviction}"
    );
    assert_eq!(about(&found, "redis, persistence")["severity"], "warning");
}

#[tokio::test]
async fn a_redis_that_stands_still_is_given_up_and_the_rest_is_looked_at_all_the_same() {
    let mut redis = RedisServer::start(&Options::throw_away()).unwrap();
    redis.freeze();
    let found = looked_at(&redis).await;
    redis.thaw();
    assert_eq!(about(&found, "redis")["severity"], "error");
    let clocks = about(&found, "clocks");
    assert_eq!(clocks["severity"], "warning");
    let meaning = clocks["meaning"].as_str();
    assert!(
        meaning.is_some_and(|text| text.contains("never safety")),
        "{clocks}"
    );
    about(&found, "place");
}
