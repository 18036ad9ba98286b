//! Several resources at once, in one order for everybody.

use std::time::Duration;

use fenced_section::{EnterOptions, Resource};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::kept::{TTL_MS, kept};
use crate::support::{BOUND, Bench, LONG, for_ms, resource, within};

/// Longer than any test waits.
const PATIENT: EnterOptions = LONG.with_budget(Duration::from_secs(120));

/// Resources by their names.
pub(crate) fn named<const N: usize>(names: [&str; N]) -> [Resource; N] {
    names.map(resource)
}

#[tokio::test]
async fn all_are_open_in_the_order_of_their_naming_and_left_in_reverse() {
    let bench = Bench::new("all").await;
    let named = named(["b", "c", "a"]);
    let set = bench.sections.enter_all(&named, &LONG).await.unwrap();
    let resources = set.sections().iter().map(|section| section.resource());
    assert!(resources.eq(&named));
    let work = set.run(async |open| {
        for (open, resource) in open.iter().zip(&named) {
            bench.write(open, resource.as_str()).await.unwrap();
        }
        open.len()
    });
    assert_eq!(work.await.unwrap(), 3);
    assert_eq!(bench.notes().await, ["a", "b", "c"]);

    let left = set.leave().await;
    assert!(left.len() == 3 && left.iter().all(|left| left.is_clean()));
    let closed: Vec<String> =
        sqlx::query_scalar("select resource from fence.resource order by closed_seq")
            .fetch_all(&bench.pool)
            .await
            .unwrap();
    assert_eq!(closed, ["c", "b", "a"]);
    for resource in &named {
        assert_eq!(bench.lease(resource).await, None);
    }
    bench.must_be_sound().await;
}

/// Both wait for a holder of both. In the order of their naming each would get one, and wait for the other.
#[tokio::test]
async fn two_callers_who_name_the_same_in_crossing_orders_both_get_in() {
    let bench = Bench::new("crossing").await;
    let [a, b] = named(["a", "b"]);
    let both = [a.clone(), b.clone()];
    let first = bench.sections.enter_all(&both, &LONG).await.unwrap();
    let mut entering = Vec::new();
    for order in [[a.clone(), b.clone()], [b.clone(), a.clone()]] {
        let sections = bench.others().await;
        entering.push(tokio::spawn(async move {
            let set = sections.enter_all(&order, &PATIENT).await.unwrap();
            set.leave().await
        }));
    }
    bench.until_queued(&a, 2).await;
    assert!(first.leave().await.iter().all(|left| left.is_clean()));
    for entered in entering {
        let left = within(entered).await.unwrap();
        assert!(left.iter().all(|left| left.is_clean()), "{left:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_that_wants_pairs_in_all_orders_is_served_to_the_last() {
    let bench = Bench::new("crowd").await;
    let named = named(["a", "b", "c", "d"]);
    let mut crowd = Vec::new();
    for who in 0..4 {
        let (sections, named) = (bench.others().await, named.clone());
        crowd.push(tokio::spawn(async move {
            for turn in 0..12 {
                let (one, two) = ((who + turn) % 4, (who + turn * 3 + 1) % 4);
                let pair = [named[one].clone(), named[two].clone()];
                let wanted = if one == two { &pair[..1] } else { &pair[..] };
                let set = sections.enter_all(wanted, &PATIENT).await.unwrap();
                assert!(set.leave().await.iter().all(|left| left.is_clean()));
            }
        }));
    }
    for member in crowd {
        within(member).await.unwrap();
    }
    bench.must_be_sound().await;
}

/// The wait for the second lasts longer than the lease of the first.
#[tokio::test]
async fn what_is_taken_is_renewed_while_the_others_are_waited_for() {
    let bench = Bench::new("renewed").await;
    let [a, b] = named(["a", "b"]);
    let holder = bench
        .sections
        .enter(&b, &for_ms(5 * TTL_MS / 2))
        .await
        .unwrap();
    let options = for_ms(TTL_MS).with_budget(BOUND);
    let other = bench.others().await;
    let both = [b.clone(), a.clone()];
    let set = within(other.enter_all(&both, &options)).await.unwrap();
    let takeovers: Vec<_> = set.sections().iter().map(|one| one.is_takeover()).collect();
    assert_eq!(takeovers, [true, false]);
    assert!(set.remaining() > options.ttl.as_duration() / 2 - Duration::from_millis(200));
    assert_eq!(bench.mark(&a).await, 1, "it was taken once and kept");
    assert!(set.leave().await.iter().all(|left| left.is_clean()));
    assert!(holder.leave().await.overrun);
}

/// A lease is not renewed while its own opening waits, unless it is kept.
#[tokio::test]
async fn a_lease_that_used_up_half_of_its_ttl_is_renewed_before_the_set_is_handed_out() {
    let bench = Bench::new("all-half").await;
    let named = named(["a", "b"]);
    let old = bench.enter(&named[1]).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.forget_lease(&named[1]).await;

    let (sections, both, options) = (bench.sections.clone(), named.clone(), for_ms(2 * TTL_MS));
    let entering = tokio::spawn(async move { sections.enter_all(&both, &options).await });
    bench.until_waiting(1).await;
    tokio::time::sleep(options.ttl.as_duration() * 5 / 8).await;
    tx.rollback().await.unwrap();
    let set = within(entering).await.unwrap().unwrap();
    assert!(set.remaining() > options.ttl.as_duration() / 2);
    assert!(set.leave().await.iter().all(|left| left.is_clean()));
}

/// The second opening waits for a writer in flight, for longer than the leases before and behind it live.
#[tokio::test]
async fn every_lease_is_renewed_while_one_of_the_openings_waits() {
    let bench = Bench::new("all-opening").await;
    let named = named(["a", "b", "c"]);
    let old = bench.enter(&named[1]).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.forget_lease(&named[1]).await;

    let (sections, all) = (bench.sections.clone(), named.clone());
    let entering = tokio::spawn(async move { sections.enter_all(&all, &kept()).await });
    bench.until_waiting(1).await;
    tokio::time::sleep(Duration::from_millis(5 * TTL_MS / 2)).await;
    tx.rollback().await.unwrap();
    let set = within(entering).await.unwrap().unwrap();
    for resource in [&named[0], &named[2]] {
        assert_eq!(bench.mark(resource).await, 1, "{resource} was kept");
    }
    assert!(set.leave().await.iter().all(|left| left.is_clean()));
}

#[tokio::test]
async fn c22_each_resource_is_healed_for_itself() {
    let bench = Bench::new("all-healed").await;
    let named = named(["a", "b", "c"]);
    for (resource, mark) in named.iter().zip([10, 20, 30]) {
        bench.set_counter(resource, mark - 1).await;
        assert!(bench.enter(resource).await.leave().await.is_clean());
    }
    let _: () = bench.redis("FLUSHALL").await;
    bench.set_counter(&named[1], 3).await;
    let set = bench.sections.enter_all(&named, &LONG).await.unwrap();
    let fences = set.sections().iter().map(|one| one.fence().get());
    assert_eq!(fences.collect::<Vec<_>>(), [11, 21, 31]);
    assert_eq!(bench.sections.summary().healed, 3);
    assert!(set.leave().await.iter().all(|left| left.is_clean()));
}

/// Kept, so that one can be lost before the others.
#[tokio::test]
async fn the_work_is_dropped_when_any_of_them_is_lost() {
    let bench = Bench::new("any-lost").await;
    let named = named(["a", "b", "c"]);
    let set = bench.sections.enter_all(&named, &kept()).await.unwrap();
    bench.forget_lease(&named[1]).await;
    let (dropped, is_dropped) = oneshot::channel::<()>();
    let work = set.run(async |_| {
        let _dropped = dropped;
        std::future::pending::<()>().await;
    });
    let lost = within(work).await.unwrap_err();
    assert_eq!(lost.resource, named[1]);
    assert!(within(is_dropped).await.is_err());
    assert!(set.open().is_err() && set.remaining().is_zero());
    assert!(set.sections()[0].open().is_ok());
    let overruns = set.leave().await.into_iter().map(|left| left.overrun);
    assert_eq!(overruns.collect::<Vec<_>>(), [false, true, false]);
}

#[tokio::test]
async fn the_sections_of_a_set_can_be_left_at_different_times() {
    let bench = Bench::new("apart").await;
    let named = named(["a", "b"]);
    let set = bench.sections.enter_all(&named, &LONG).await.unwrap();
    let [a, b] = <[_; 2]>::try_from(set.into_sections()).unwrap();
    assert!(a.leave().await.is_clean());
    assert!(bench.lease(&named[1]).await.is_some());
    assert!(b.leave().await.is_clean());
}
