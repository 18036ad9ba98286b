//! After an unknown outcome: what is absent then stays absent.

use fence_guard::{Error, OpenPermit};
use fenced_section::{EnterError, Permit, Reason};
use uuid::Uuid;

use crate::support::{BOUND, Bench, LONG, resource, within};

/// How many notes say this.
async fn count(bench: &Bench, text: &str) -> usize {
    let notes = bench.notes().await;
    notes.iter().filter(|note| *note == text).count()
}

#[tokio::test]
async fn a_write_that_was_applied_is_found() {
    let bench = Bench::new("present").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    let permit = section.permit().clone();
    bench.write(section.open().unwrap(), "a").await.unwrap();

    let other = bench.others().await;
    let look = async |_: &OpenPermit| count(&bench, "a").await;
    let resolved = other.resolve(&permit, &LONG, look).await.unwrap();
    assert_eq!(resolved.found, 1);
    assert!(resolved.section.fence() > permit.fence());
    assert!(resolved.section.leave().await.is_clean());
}

#[tokio::test]
async fn what_is_absent_stays_absent_because_the_late_attempt_is_refused() {
    let bench = Bench::new("absent").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    let permit = section.permit().clone();

    let look = async |_: &OpenPermit| count(&bench, "a").await;
    let resolved = bench.sections.resolve(&permit, &LONG, look);
    let resolved = resolved.await.unwrap();
    assert_eq!(resolved.found, 0);
    match bench.write(section.open().unwrap(), "a").await {
        Err(Error::Refused(refusal)) => assert_eq!(refusal.reason(), Reason::Stale),
        other => panic!("{other:?}"),
    }
    // The work is done again under what proved that it had not been done.
    let open = resolved.section.open().unwrap();
    bench.write(open, "a").await.unwrap();
    assert_eq!(count(&bench, "a").await, 1);
    bench.must_be_sound().await;
}

/// The attempt's own transaction holds the row: the look must come after its end, whatever that is.
#[tokio::test]
async fn c46_a_write_still_in_flight_is_waited_for_and_then_found() {
    let bench = Bench::new("in-flight").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    let writer = bench.others().await;
    let open = section.open().unwrap();
    let tx = writer.guard().begin(open, "note", Uuid::nil(), BOUND);
    let mut tx = tx.await.unwrap();
    sqlx::query("insert into note (text) values ('a')")
        .execute(&mut *tx)
        .await
        .unwrap();

    let look = async |_: &OpenPermit| count(&bench, "a").await;
    let permit = section.permit().clone();
    let resolving = bench.sections.resolve(&permit, &LONG, look);
    let committing = async {
        bench.until_waiting(1).await;
        tx.commit().await.unwrap();
    };
    let (resolved, ()) = within(async { tokio::join!(resolving, committing) }).await;
    assert_eq!(resolved.unwrap().found, 1);
}

#[tokio::test]
async fn a_lease_that_is_still_the_attempts_own_is_reminted_and_keeps_its_time() {
    let bench = Bench::new("own").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    let key = bench.lease_key(&r);
    let _: i64 = bench.redis(format!("PEXPIRE {key} 60000")).await;
    let resolved = bench
        .sections
        .resolve(section.permit(), &LONG, async |_| ());
    let resolved = resolved.await.unwrap().section;
    assert_eq!(resolved.permit().holder(), section.permit().holder());
    assert!(resolved.remaining().as_millis() <= 60_000);

    // The old one in hand takes nothing from the new one.
    let left = section.leave().await;
    assert!(left.overrun, "{left}");
    assert!(bench.lease(&r).await.is_some());
    assert!(resolved.leave().await.is_clean());
}

#[tokio::test]
async fn c22_it_resolves_above_the_attempt_also_where_redis_has_forgotten_everything() {
    let bench = Bench::new("forgotten").await;
    let r = resource("r");
    bench.set_counter(&r, 41).await;
    let attempt = bench.enter(&r).await;
    let permit = attempt.permit().clone();
    assert!(attempt.leave().await.is_clean());
    // A later holder has opened above it, and Redis knows of neither.
    assert!(bench.enter(&r).await.leave().await.is_clean());
    let _: () = bench.redis("FLUSHALL").await;

    let resolved = bench.sections.resolve(&permit, &LONG, async |_| ());
    let section = resolved.await.unwrap().section;
    assert_eq!(section.fence().get(), 44);
}

#[tokio::test]
async fn while_a_later_holder_works_the_attempt_stays_unknown() {
    let bench = Bench::new("later").await;
    let r = resource("r");
    let attempt = bench.enter(&r).await;
    let permit = attempt.permit().clone();
    assert!(attempt.leave().await.is_clean());
    let later = bench.enter(&r).await;
    let held = bench.sections.resolve(&permit, &LONG, async |_| ()).await;
    assert!(
        matches!(held, Err(EnterError::Held { by, .. }) if by == later.fence()),
        "{held:?}"
    );
}

#[tokio::test]
async fn it_can_be_asked_again_and_from_a_spawned_task() {
    let bench = Bench::new("again").await;
    let r = resource("r");
    let attempt = bench.enter(&r).await;
    let permit: Permit = attempt.permit().clone();
    drop(attempt);
    let mut last = permit.fence();
    for _ in 0..2 {
        let (sections, pool, permit) = (bench.sections.clone(), bench.pool.clone(), permit.clone());
        let resolving = tokio::spawn(async move {
            let look = async |_: &OpenPermit| {
                sqlx::query_scalar::<_, i64>("select count(*) from note")
                    .fetch_one(&pool)
                    .await
            };
            sections.resolve(&permit, &LONG, look).await
        });
        let resolved = within(resolving).await.unwrap().unwrap();
        assert_eq!(resolved.found.unwrap(), 0);
        assert!(resolved.section.fence() > last);
        last = resolved.section.fence();
        assert!(resolved.section.leave().await.is_clean());
    }
}
