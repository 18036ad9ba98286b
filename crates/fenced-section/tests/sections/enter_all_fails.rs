//! All or nothing: what was taken before the one that was not to be had is given back.

use std::error::Error;
use std::time::Duration;

use fenced_section::{EnterAllError, EnterError, EnterOptions, Resource};
use uuid::Uuid;

use crate::enter_all::named;
use crate::kept::TTL_MS;
use crate::support::{BOUND, Bench, LONG, for_ms, resource, within};

/// The keys in Redis that are no fence counter.
async fn leases_and_queues(bench: &Bench) -> Vec<String> {
    let keys: Vec<String> = bench.redis("KEYS *").await;
    let counters = bench.sections.locks().prefix().counter_key(&resource("r"));
    let (counter, _) = counters.split_once('{').unwrap();
    keys.into_iter()
        .filter(|key| !key.starts_with(counter))
        .collect()
}

/// Whether the guard has ever opened it.
async fn is_known(bench: &Bench, resource: &Resource) -> bool {
    sqlx::query_scalar("select exists (select from fence.resource where resource = $1)")
        .bind(resource.as_str())
        .fetch_one(&bench.pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn one_that_is_held_leaves_nothing_behind_and_says_who_and_how_many() {
    let bench = Bench::new("one-held").await;
    let [c, a, b] = named(["c", "a", "b"]);
    let holder = bench.enter(&c).await;
    let other = bench.others().await;
    let all = [c.clone(), a.clone(), b.clone()];
    let budget = Duration::from_millis(100);
    let error = within(other.enter_all(&all, &LONG.with_budget(budget))).await;
    let error = error.unwrap_err();
    assert!(error.is_contention());
    match &error {
        EnterAllError::NotEntered {
            resource,
            source: EnterError::Held { by, .. },
            given_back,
        } => assert_eq!((resource, *by, *given_back), (&c, holder.fence(), 2)),
        other => panic!("{other:?}"),
    }
    let cause = error.source().unwrap().to_string();
    assert!(cause.starts_with("c is held under fence 1"), "{cause}");
    assert_eq!(leases_and_queues(&bench).await, [bench.lease_key(&c)]);
    // Nothing was opened before all leases were there.
    assert!(!is_known(&bench, &a).await && !is_known(&bench, &b).await);
    let summary = other.summary();
    assert_eq!((summary.entered, summary.left), (0, 0));
    assert!(holder.leave().await.is_clean());
}

/// All leases are there, and the second opening is blocked by a writer in flight.
#[tokio::test]
async fn one_that_cannot_be_opened_closes_those_that_were_and_releases_all() {
    let bench = Bench::new("one-blocked").await;
    let named = named(["c", "b", "a"]);
    let [c, b, a] = &named;
    let old = bench.enter(b).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.forget_lease(b).await;

    let impatient = bench.with_wait(Duration::from_millis(200));
    match within(impatient.enter_all(&named, &LONG)).await {
        Err(EnterAllError::NotEntered {
            resource,
            source: EnterError::Blocked { .. },
            given_back: 2,
        }) => assert_eq!(&resource, b),
        other => panic!("{other:?}"),
    }
    assert_eq!(leases_and_queues(&bench).await, [""; 0]);
    assert!(bench.is_closed(a).await);
    assert!(!is_known(&bench, c).await);
    let summary = impatient.summary();
    assert_eq!((summary.entered, summary.left), (1, 1));
    tx.rollback().await.unwrap();
    bench.must_be_sound().await;
}

/// The first is open, and its lease is over when the second opening has waited for a writer in flight.
#[tokio::test]
async fn a_set_is_never_handed_out_with_a_lease_that_redis_has_lost() {
    let bench = Bench::new("lost-meanwhile").await;
    let both = named(["a", "b"]);
    let [a, b] = &both;
    let old = bench.enter(b).await;
    let writer = bench.others().await;
    let open = old.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let tx = tx.await.unwrap();
    bench.forget_lease(b).await;

    let (sections, names) = (bench.sections.clone(), both.clone());
    let options: EnterOptions = for_ms(2 * TTL_MS);
    let entering = tokio::spawn(async move { sections.enter_all(&names, &options).await });
    bench.until_waiting(1).await;
    // Its next renewal is told so; the lease of `b` is not renewed while it is being opened.
    bench.forget_lease(a).await;
    tokio::time::sleep(options.ttl.as_duration() * 3 / 4).await;
    tx.rollback().await.unwrap();
    match within(entering).await.unwrap() {
        Err(EnterAllError::NotEntered {
            resource,
            source: EnterError::Lost(_),
            given_back: 1,
        }) => assert_eq!(&resource, a),
        other => panic!("{other:?}"),
    }
    assert!(bench.is_closed(a).await && bench.is_closed(b).await);
    assert_eq!(leases_and_queues(&bench).await, [""; 0]);
}

#[tokio::test]
async fn a_resource_that_is_named_twice_is_refused_before_anything_is_asked() {
    let bench = Bench::new("twice").await;
    let twice = named(["a", "b", "a"]);
    let _: () = bench.redis("CONFIG RESETSTAT").await;
    match bench.sections.enter_all(&twice, &LONG).await {
        Err(error @ EnterAllError::Duplicate { .. }) => {
            assert!(!error.is_contention());
            assert_eq!(
                error.to_string(),
                "a is named twice: name each resource once"
            );
        }
        other => panic!("{other:?}"),
    }
    let stats: String = bench.redis("INFO commandstats").await;
    assert!(!stats.contains("evalsha"), "{stats}");
}

#[tokio::test]
async fn entering_that_is_dropped_while_it_waits_gives_back_what_it_has() {
    let bench = Bench::new("all-dropped").await;
    let both = named(["a", "b"]);
    let holder = bench.enter(&both[1]).await;
    let other = bench.others().await;
    let options = LONG.with_budget(BOUND);
    let names = both.clone();
    let entering = tokio::spawn(async move { other.enter_all(&names, &options).await });
    bench.until_queued(&both[1], 1).await;
    assert!(bench.lease(&both[0]).await.is_some());
    entering.abort();
    assert!(within(entering).await.unwrap_err().is_cancelled());
    bench.until_free(&both[0]).await;
    bench.until_queued(&both[1], 0).await;
    assert!(holder.leave().await.is_clean());
}

#[tokio::test]
async fn a_set_that_is_dropped_is_closed_and_released_in_the_background() {
    let bench = Bench::new("set-dropped").await;
    let both = named(["a", "b"]);
    drop(bench.sections.enter_all(&both, &LONG).await.unwrap());
    for resource in &both {
        bench.until_free(resource).await;
        assert!(bench.is_closed(resource).await);
    }
}
