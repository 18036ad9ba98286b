//! The setting that carries the permits can be set by anybody. The trigger looks at the row again: what it is
//! told is worth nothing, and a holder that was overtaken is refused, whatever it says and whenever it comes.

use fence_guard::{Fence, Permit, Reason, TriggerReason};
use promises::{HOLD, MustRefuse, Session, permit, same_number, sqlstate};
use uuid::Uuid;

use crate::protected::{NOT_ADMITTED, begin, carried, count, forge, opened, refused, world};

const WRITE: &str = "insert into note select max(id) + 1, 'r' from note";

/// What a write comes to whose transaction has set the setting by hand.
async fn write_with(session: &mut Session, setting: &str) -> TriggerReason {
    session.run("begin").await;
    forge(session, setting).await;
    let refusal = refused(session.attempt(WRITE).await);
    session.run("rollback").await;
    assert_eq!(refusal.resource(), Some("r"));
    refusal.reason()
}

#[tokio::test]
async fn a_forged_setting_admits_nothing() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r", "s", "closed"]).await;
    let r = &permits[0];
    let higher = Permit::new(r.resource().clone(), Fence::new(2).unwrap(), r.holder());
    for (setting, reason) in [
        (
            carried(&same_number(r)),
            TriggerReason::Permit(Reason::Conflict),
        ),
        (carried(&higher), TriggerReason::Permit(Reason::NotOpen)),
        (carried(&permits[1]), NOT_ADMITTED),
        (
            format!("{}\n{}", carried(&permits[1]), carried(&higher)),
            TriggerReason::Permit(Reason::NotOpen),
        ),
        (
            format!("9999999999999999999 {} r", r.holder().as_uuid()),
            NOT_ADMITTED,
        ),
        (format!("0 {} r", r.holder().as_uuid()), NOT_ADMITTED),
        (format!("-1 {} r", r.holder().as_uuid()), NOT_ADMITTED),
        (format!("1 {} r", "x".repeat(36)), NOT_ADMITTED),
        ("r".to_owned(), NOT_ADMITTED),
        ("\n\n".to_owned(), NOT_ADMITTED),
        ("1 2 r".to_owned(), NOT_ADMITTED),
        (format!("{} ", carried(r)), NOT_ADMITTED),
        (carried(r).to_uppercase(), NOT_ADMITTED),
        ("'; drop table fence.resource; --".to_owned(), NOT_ADMITTED),
    ] {
        assert_eq!(
            write_with(&mut session, &setting).await,
            reason,
            "{setting:?}"
        );
    }

    assert_eq!(session.close(r).await.unwrap().outcome, "closed");
    let closed = write_with(&mut session, &carried(r)).await;
    assert_eq!(closed, TriggerReason::Permit(Reason::Closed));
    assert_eq!(
        session.open(&permit("r", 2)).await.unwrap().outcome,
        "opened"
    );
    let stale = write_with(&mut session, &carried(r)).await;
    assert_eq!(stale, TriggerReason::Permit(Reason::Stale));
    assert_eq!(count(&world, "select count(*) from note").await, 2);
}

/// A mark that was folded refuses by the floor.
#[tokio::test]
async fn a_forged_setting_of_a_folded_resource_is_stale() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    session.close(&permits[0]).await.unwrap();
    session.run("select fence.fold('0')").await;
    session.run("begin").await;
    forge(&mut session, &carried(&permits[0])).await;
    let refusal = refused(session.attempt(WRITE).await);
    assert_eq!(refusal.reason(), TriggerReason::Permit(Reason::Stale));
    assert_eq!(refusal.mark().unwrap().get(), 2);
    assert_eq!(refusal.opened_by(), None);
}

/// A setting of the session outlives its transactions; a permit does not.
#[tokio::test]
async fn a_setting_that_outlives_its_holder_is_refused_when_it_is_overtaken() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    let set =
        sqlx::query("select set_config('fence.admitted', $1, false)").bind(carried(&permits[0]));
    set.execute(&mut session.connection).await.unwrap();
    let successor = world.client().await.open(&permit("r", 2)).await;
    let refusal = refused(session.attempt(WRITE).await);
    assert_eq!(refusal.presented(), Some(&permits[0]));
    assert_eq!(refusal.mark(), Some(successor.permit().fence().as_floor()));
    assert_eq!(refusal.opened_by(), Some(successor.permit().holder()));
    assert_eq!(refusal.refusal().unwrap().reason(), Reason::Stale);
}

/// S2: the write is in flight when the successor comes, which waits for it; the next one is refused.
#[tokio::test]
async fn of_two_holders_the_older_ones_write_in_flight_is_waited_for_and_its_next_one_refused() {
    let world = world().await;
    let (old, new) = (world.client().await, world.client().await);
    let first = old.open(&permit("r", 1)).await;
    let mut tx = old.begin(&first).await;
    sqlx::query(WRITE).execute(&mut *tx).await.unwrap();
    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, old.pid).await;
    tx.commit().await.unwrap();
    let second = opening.done().await.unwrap();
    // What the successor decides by has the row in it.
    assert_eq!(
        count(&world, "select count(*) from note where id = 3").await,
        1
    );

    let late = old.guard.begin(&first, "note", Uuid::nil(), HOLD).await;
    assert_eq!(late.must_refuse().reason(), Reason::Stale);
    let mut session = world.session().await;
    let by_hand = write_with(&mut session, &carried(first.permit())).await;
    assert_eq!(by_hand, TriggerReason::Permit(Reason::Stale));
    let mut tx = new.begin(&second).await;
    let next = sqlx::query("insert into note values (4, 'r')");
    next.execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// A write under a permit that was set by hand is drained all the same: the trigger holds the row to the
/// commit, as an admission does.
#[tokio::test]
async fn an_opening_waits_for_a_write_that_was_never_admitted_and_still_holds() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    let new = world.client().await;
    session.run("begin").await;
    forge(&mut session, &carried(&permits[0])).await;
    session.run(WRITE).await;
    let opening = new.start_open(&permit("r", 2));
    world.until_blocked(new.pid, session.pid).await;
    session.run("commit").await;
    opening.done().await.unwrap();
}

/// An older snapshot would see an older mark, and its lock says that it is older.
#[tokio::test]
async fn a_transaction_with_an_older_snapshot_never_writes_under_an_older_mark() {
    let world = world().await;
    for level in ["repeatable read", "serializable"] {
        let name = "r";
        let fence = world.mark(name).await + 1;
        let (old, mut session) = (permit(name, fence), world.session().await);
        session.open(&old).await.unwrap();
        let begin = || sqlx::AssertSqlSafe(format!("begin isolation level {level}"));

        session.run(begin()).await;
        assert_eq!(sqlstate(session.admit(&[&old]).await), "ZF001");
        session.run("rollback").await;
        session.run(begin()).await;
        let refusal = refused(session.attempt(WRITE).await);
        assert_eq!(refusal.reason(), NOT_ADMITTED);
        session.run("rollback").await;

        session.run(begin()).await;
        session.run("select from note").await;
        let successor = permit(name, fence + 1);
        world.client().await.open(&successor).await;
        forge(&mut session, &carried(&old)).await;
        assert_eq!(sqlstate(session.attempt(WRITE).await), "40001", "{level}");
        session.run("rollback").await;
    }
    assert_eq!(count(&world, "select count(*) from note").await, 2);
}

/// What a session puts in front of Postgres' own operators, such as an equality that is always true, is not what the
/// trigger compares by.
#[tokio::test]
async fn a_search_path_of_the_writer_changes_nothing_of_what_is_compared() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    session.run(include_str!("sql/all_is_equal.sql")).await;
    begin(&mut session, &[&permits[0]]).await;
    let moved = session.attempt("update public.note set resource = 's' where id = 1");
    assert_eq!(refused(moved.await).resource(), Some("s"));
}
