//! One call under a lease that opens, decides and writes by itself.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use fence_guard::{Floor, MayRefuse, Permit, Reason, Refusal};
use fenced_section::{EnterError, OnceError};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Bench, LONG, for_ms, resource, within};

/// Why `note_once` has no outcome.
#[derive(Debug, thiserror::Error)]
enum NoteError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Postgres(#[from] sqlx::Error),
}

impl MayRefuse for NoteError {
    fn refusal(&self) -> Option<&Refusal> {
        match self {
            NoteError::Refused(refusal) => Some(refusal),
            NoteError::Postgres(_) => None,
        }
    }
}

/// Calls the riding function of `sql/note.sql`.
async fn note_once(pool: &PgPool, permit: Permit, text: &str) -> Result<String, NoteError> {
    let (outcome, mark, holder): (String, Option<i64>, Option<Uuid>) =
        sqlx::query_as("select * from note_once($1, $2, $3, $4)")
            .bind(permit.resource().as_str())
            .bind(permit.fence().as_i64())
            .bind(permit.holder().as_uuid())
            .bind(text)
            .fetch_one(pool)
            .await?;
    match outcome.parse::<Reason>() {
        Ok(reason) => {
            let mark = Floor::try_from(mark.unwrap_or(0)).unwrap();
            let holder = holder.map(fence_guard::Holder::from_uuid);
            Err(Refusal::new(permit, reason, mark, holder).into())
        }
        Err(()) => Ok(outcome),
    }
}

#[tokio::test]
async fn one_call_takes_two_commands_of_redis_and_leaves_nothing_held() {
    let bench = Bench::new("once").await;
    let r = resource("r");
    bench.set_counter(&r, 6).await;
    for outcome in ["written", "there already"] {
        let _: () = bench.redis("CONFIG RESETSTAT").await;
        let call = async |permit| note_once(&bench.pool, permit, "a").await;
        let answer = bench.sections.once(&r, &LONG, call).await;
        assert_eq!(answer.unwrap(), outcome);
        let stats: String = bench.redis("INFO commandstats").await;
        assert!(stats.contains("cmdstat_evalsha:calls=2,"), "{stats}");
        assert_eq!(bench.lease(&r).await, None);
        assert!(bench.is_closed(&r).await);
    }
    let summary = bench.sections.summary();
    assert_eq!((summary.entered, summary.left, summary.healed), (2, 2, 0));
    assert_eq!(bench.notes().await, ["a"]);
}

#[tokio::test]
async fn c22_a_call_refused_for_lost_numbers_is_made_again_above_the_mark() {
    let bench = Bench::new("healed").await;
    let r = resource("r");
    bench.set_counter(&r, 99).await;
    assert!(bench.enter(&r).await.leave().await.is_clean());
    bench.set_counter(&r, 3).await;
    let calls = AtomicU64::new(0);
    let call = async |permit| {
        calls.fetch_add(1, SeqCst);
        note_once(&bench.pool, permit, "a").await
    };
    let answer = bench.sections.once(&r, &LONG, call).await;
    assert_eq!(answer.unwrap(), "written");
    assert_eq!((calls.load(SeqCst), bench.mark(&r).await), (2, 101));
    assert_eq!(bench.sections.summary().healed, 1);
    bench.must_be_sound().await;
}

#[tokio::test]
async fn a_call_that_is_refused_for_good_gives_the_lease_back_and_hands_out_its_permit() {
    let bench = Bench::new("refused").await;
    let r = resource("r");
    let calls = AtomicU64::new(0);
    let call = async |permit: Permit| {
        calls.fetch_add(1, SeqCst);
        let mark = permit.fence().as_floor();
        Err::<(), _>(Refusal::new(permit, Reason::Closed, mark, None))
    };
    match bench.sections.once(&r, &LONG, call).await {
        Err(OnceError::Call { permit, source }) => {
            assert_eq!(source.presented(), &permit);
            assert_eq!(source.reason(), Reason::Closed);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(calls.load(SeqCst), 1);
    assert_eq!(bench.lease(&r).await, None);
    assert_eq!(bench.sections.summary().refusals, 1);
}

/// An unknown outcome must never be healed: the first call may have written.
#[tokio::test]
async fn a_call_that_failed_without_a_refusal_is_not_made_again() {
    let bench = Bench::new("failed").await;
    let r = resource("r");
    let calls = AtomicU64::new(0);
    let call = async |_| {
        calls.fetch_add(1, SeqCst);
        Err::<(), _>(NoteError::from(sqlx::Error::PoolTimedOut))
    };
    let answer = bench.sections.once(&r, &LONG, call).await;
    assert!(matches!(answer, Err(OnceError::Call { .. })), "{answer:?}");
    assert_eq!(calls.load(SeqCst), 1);
    assert_eq!(bench.lease(&r).await, None);
}

/// Overtaken is not the same as healed: the lease has ended, so its number is rightly the lower one.
#[tokio::test]
async fn a_call_that_comes_after_its_lease_is_refused_and_not_reminted() {
    let bench = Bench::new("overtaken").await;
    let r = resource("r");
    let calls = AtomicU64::new(0);
    let call = async |permit| {
        calls.fetch_add(1, SeqCst);
        bench.until_free(&r).await;
        let successor = bench.enter(&r).await;
        assert!(successor.leave().await.is_clean());
        note_once(&bench.pool, permit, "late").await
    };
    match within(bench.sections.once(&r, &for_ms(2_000), call)).await {
        Err(OnceError::Call {
            source: NoteError::Refused(refusal),
            ..
        }) => assert_eq!(refusal.reason(), Reason::Stale),
        other => panic!("{other:?}"),
    }
    assert_eq!(calls.load(SeqCst), 1);
    assert!(bench.notes().await.is_empty());
    assert_eq!(bench.sections.summary().overruns, 1);
}

#[tokio::test]
async fn c37_once_tells_contention_and_a_failure_of_redis_apart() {
    let mut bench = Bench::new("apart").await;
    let r = resource("r");
    let section = bench.enter(&r).await;
    let call = async |permit| note_once(&bench.pool, permit, "a").await;
    let answer = bench.sections.once(&r, &LONG, call).await;
    assert!(
        matches!(answer, Err(OnceError::Enter(EnterError::Held { .. }))),
        "{answer:?}"
    );
    bench.server.kill_nine().unwrap();
    let call = async |permit| note_once(&bench.pool, permit, "a").await;
    let answer = within(bench.sections.once(&r, &LONG, call)).await;
    assert!(
        matches!(answer, Err(OnceError::Enter(EnterError::Redis(_)))),
        "{answer:?}"
    );
    drop(section);
    assert!(bench.notes().await.is_empty());
}
