//! Sections that are renewed for their holder, and outlive their TTL.

use std::time::Duration;

use fence_guard::OpeningRow;
use fenced_section::{EnterOptions, Permit, Refusal, Released};
use uuid::Uuid;

use crate::support::{BOUND, Bench, for_ms, resource, within};

/// Long enough to miss a beat on a busy machine, short enough to see several.
pub(crate) const TTL_MS: u64 = 2_000;

/// More than two TTLs: without a renewal the lease is gone.
const A_WHILE: Duration = Duration::from_millis(5 * TTL_MS / 2);

/// Renewed for longer than any test lasts.
pub(crate) fn kept() -> EnterOptions {
    for_ms(TTL_MS).kept_for(10 * BOUND)
}

/// For how long the opener meant to hold.
fn validity(opening: &OpeningRow) -> Duration {
    (opening.valid_until - opening.at).unsigned_abs()
}

#[tokio::test]
async fn a_kept_section_outlives_its_ttl_and_writes_in_time() {
    let bench = Bench::new("kept").await;
    let r = resource("r");
    let section = bench.sections.enter(&r, &kept()).await.unwrap();
    let value = bench.lease(&r).await;
    let work = section.run(async |open| {
        tokio::time::sleep(A_WHILE).await;
        bench.write(open, "a").await
    });
    work.await.unwrap().unwrap();
    assert!(section.open().is_ok() && !section.remaining().is_zero());
    assert_eq!(bench.lease(&r).await, value);

    let left = section.leave().await;
    assert!(left.is_clean(), "{left}");
    assert!(matches!(left.released, Ok(Some(Released::Released))));
    assert_eq!(bench.lease(&r).await, None);
    // It is measured by its TTL also where that was renewed.
    let summary = bench.sections.summary();
    assert_eq!((summary.overruns, summary.hold.sections[7]), (0, 1));
    bench.must_be_sound().await;
}

#[tokio::test]
async fn the_guard_is_told_the_longest_hold_and_not_the_ttl() {
    let bench = Bench::new("validity").await;
    let (plain, long) = (resource("plain"), resource("long"));
    let max_hold = Duration::from_secs(600);
    let section = bench.sections.enter(&plain, &for_ms(TTL_MS)).await.unwrap();
    let _ = section.leave().await;
    let options = for_ms(TTL_MS).kept_for(max_hold);
    let section = bench.sections.enter(&long, &options).await.unwrap();
    assert!(section.remaining() <= options.ttl.as_duration());
    assert!(section.leave().await.is_clean());
    assert!(validity(&bench.openings(&plain).await[0]) <= options.ttl.as_duration());
    let told = validity(&bench.openings(&long).await[0]);
    assert!((max_hold - BOUND..=max_hold).contains(&told), "{told:?}");
}

/// Nothing can renew an opening that the guard minted.
#[tokio::test]
async fn a_section_entered_from_the_guard_is_valid_for_the_longest_hold() {
    let bench = Bench::new("minted").await;
    let r = resource("r");
    let max_hold = Duration::from_secs(600);
    let options = for_ms(TTL_MS).kept_for(max_hold);
    let section = bench.sections.enter_from_guard(&r, &options).await.unwrap();
    assert!(section.remaining() > max_hold - BOUND);
    assert!(section.leave().await.is_clean());
    let told = validity(&bench.openings(&r).await[0]);
    assert!((max_hold - BOUND..=max_hold).contains(&told), "{told:?}");
}

/// The keeper must renew under the fence that healing came to.
#[tokio::test]
async fn c22_a_kept_section_is_healed_first_and_renewed_under_its_higher_fence() {
    let bench = Bench::new("kept-healed").await;
    let r = resource("r");
    bench.set_counter(&r, 99).await;
    assert!(bench.enter(&r).await.leave().await.is_clean());
    bench.set_counter(&r, 3).await;
    let section = bench.sections.enter(&r, &kept()).await.unwrap();
    assert_eq!(section.fence().get(), 101);
    tokio::time::sleep(A_WHILE).await;
    assert!(bench.lease(&r).await.unwrap().starts_with("101:"));
    bench.write(section.open().unwrap(), "a").await.unwrap();
    assert!(section.leave().await.is_clean());
    assert_eq!(bench.sections.summary().healed, 1);
}

#[tokio::test]
async fn the_lease_is_kept_also_while_its_opening_waits_for_writers_in_flight() {
    let bench = Bench::new("kept-opening").await;
    let r = resource("r");
    let old = bench.enter(&r).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.forget_lease(&r).await;

    let (sections, name) = (bench.sections.clone(), r.clone());
    let entering = tokio::spawn(async move { sections.enter(&name, &kept()).await });
    bench.until_lease_seen(&r).await;
    tokio::time::sleep(A_WHILE).await;
    assert!(bench.lease(&r).await.is_some());
    tx.commit().await.unwrap();
    let section = within(entering).await.unwrap().unwrap();
    assert!(section.is_takeover());
    assert!(section.leave().await.is_clean());
}

#[tokio::test]
async fn one_call_is_kept_for_as_long_as_it_lasts() {
    let bench = Bench::new("kept-once").await;
    let r = resource("r");
    let call = async |permit: Permit| {
        tokio::time::sleep(A_WHILE).await;
        assert!(bench.lease(permit.resource()).await.is_some());
        Ok::<_, Refusal>(permit.fence().get())
    };
    let answer = bench.sections.once(&r, &kept(), call).await;
    assert_eq!(answer.unwrap(), 1);
    assert_eq!(bench.sections.summary().overruns, 0);
    assert_eq!(bench.lease(&r).await, None);
}

#[tokio::test]
async fn one_call_is_kept_for_no_longer_than_the_longest_hold() {
    let bench = Bench::new("once-end").await;
    let r = resource("r");
    let options = for_ms(TTL_MS).kept_for(Duration::from_millis(3 * TTL_MS / 2));
    let call = async |_: Permit| {
        bench.until_free(&r).await;
        Ok::<_, Refusal>(())
    };
    within(bench.sections.once(&r, &options, call))
        .await
        .unwrap();
    assert_eq!(bench.sections.summary().overruns, 1);
}

#[tokio::test]
async fn a_kept_section_that_is_dropped_is_closed_and_released_and_renewed_no_more() {
    let bench = Bench::new("kept-dropped").await;
    let r = resource("r");
    drop(bench.sections.enter(&r, &kept()).await.unwrap());
    bench.until_free(&r).await;
    assert!(bench.is_closed(&r).await);

    let next = bench.enter(&r).await;
    assert!(!next.is_takeover());
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    tokio::time::sleep(Duration::from_millis(TTL_MS)).await;
    let stats: String = bench.redis("INFO commandstats").await;
    assert!(!stats.contains("evalsha"), "{stats}");
    assert!(next.leave().await.is_clean());
}
