//! After losing all counters with many resources known to the guard, each first entry succeeds within
//! two extra round trips.
//!
//! `FENCED_SECTION_RESOURCES=1000000` plays it with a million; 2,000 is the least that meets both kinds of loss.

use std::time::Instant;

use fenced_section::Sections;
use testbed::Proxy;
use tokio::task::JoinSet;

use crate::support::{Bench, LONG, resource, resources_or, sections};

/// Acquire and open.
const ROUND_TRIPS: u64 = 2;
/// The mark and a second acquire, or a remint and a second open.
const EXTRA: u64 = 2;
/// All counters that there ever are.
const COUNTERS: u64 = 1024;
/// So many enter side by side, each over wires of its own.
const LANES: u64 = 16;

/// Sections whose round trips are counted, one entry at a time.
struct Lane {
    sections: Sections,
    redis: Proxy,
    postgres: Proxy,
}

impl Lane {
    async fn to(bench: &Bench) -> Lane {
        let redis = Proxy::to(&bench.redis_url).await;
        let postgres = Proxy::to(&bench.database_url).await;
        let through = (
            redis.url(&bench.redis_url),
            postgres.url(&bench.database_url),
        );
        let lane = Lane {
            sections: sections(&through.0, &through.1).await,
            redis,
            postgres,
        };
        // A statement is prepared at its first use, in a round trip that has nothing to do with this.
        let warm = resource(&format!("warm {}", lane.redis.url(&bench.redis_url)));
        let warm = lane.sections.enter(&warm, &LONG).await.unwrap();
        assert!(warm.leave().await.is_clean());
        // Its counter may have been there already.
        lane.sections.guard().mark(&resource("r1")).await.unwrap();
        lane
    }

    fn round_trips(&self) -> u64 {
        self.redis.round_trips() + self.postgres.round_trips()
    }

    /// Enters and leaves "r1" …, each `LANES`th of them, and returns the most round trips of an entry.
    ///
    /// An entry that had to ask twice for one answer is not judged: the machine stood still for a second,
    /// and lost memory has nothing to do with that.
    async fn enter_each(&self, first: u64, resources: u64) -> u64 {
        let mut most = 0;
        let asked_again = || self.sections.summary().unknown;
        for n in (first..=resources).step_by(LANES.try_into().unwrap()) {
            let r = resource(&format!("r{n}"));
            let before = (self.round_trips(), asked_again());
            let section = self.sections.enter(&r, &LONG).await.unwrap();
            if asked_again() == before.1 {
                let took = self.round_trips() - before.0;
                assert!(took <= ROUND_TRIPS + EXTRA, "{r}: {took} round trips");
                most = most.max(took);
            }
            assert!(!section.is_takeover());
            let left = section.leave().await;
            assert!(left.closed.is_ok() && !left.overrun, "{r}: {left}");
        }
        most
    }
}

/// What came of all lanes.
#[derive(Default)]
struct Came {
    healed: u64,
    asked_again: u64,
    most_round_trips: u64,
}

async fn enter_all_lanes(bench: &Bench, resources: u64) -> Came {
    let mut lanes = Vec::new();
    for _ in 0..LANES {
        lanes.push(Lane::to(bench).await);
    }
    let _: () = bench.redis("FLUSHALL").await;
    let mut tasks = JoinSet::new();
    for (first, lane) in (1..).zip(lanes) {
        tasks.spawn(async move {
            let most = lane.enter_each(first, resources).await;
            (lane.sections.summary(), most)
        });
    }
    let mut came = Came::default();
    while let Some(lane) = tasks.join_next().await {
        let (summary, most) = lane.unwrap();
        came.healed += summary.healed;
        came.asked_again += summary.unknown;
        came.most_round_trips = came.most_round_trips.max(most);
    }
    came
}

#[tokio::test(flavor = "multi_thread")]
async fn each_first_entry_after_losing_all_counters_takes_at_most_two_extra_round_trips() {
    let bench = Bench::new("many").await;
    let resources = resources_or(2_000);
    let known = include_str!("sql/known_resources.sql");
    let known = sqlx::query(known).bind(i64::try_from(resources).unwrap());
    known.execute(&bench.pool).await.unwrap();

    let started = Instant::now();
    let came = enter_all_lanes(&bench, resources).await;
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{resources} resources, {} healed, at most {} round trips, {} asked again, {seconds:.1} s",
        came.healed, came.most_round_trips, came.asked_again
    );
    // Nearly all entries are judged.
    assert!(came.asked_again <= resources / 1000);
    // More than there are counters: not only missing ones were healed, but also those that a neighbour
    // in the bucket had brought back with a lower mark.
    assert!(came.healed > COUNTERS, "{} healed", came.healed);
    let keys: u64 = bench.redis("DBSIZE").await;
    assert!(keys <= COUNTERS, "{keys} keys");
    bench.must_be_sound().await;
}
