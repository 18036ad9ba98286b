//! C29 and C34: reads that a decision is taken on. A read under an opening, in a guarded transaction, stays true
//! until that transaction ends; what was read otherwise may be stale, and the write that follows from it is
//! refused.

use std::time::Duration;

use fence_guard::{Reason, StoreError};
use promises::{Client, HOLD, MustRefuse, World, permit, within};
use sqlx::{Executor, PgExecutor};
use uuid::Uuid;

use crate::protected::{NOT_ADMITTED, count, refused};

/// What the guard makes of it is one second.
const STANDS_STILL: Duration = Duration::from_millis(100);
const IS_PAID: &str = "select exists (select from payment where resource = 'r')";
const PAY: &str = "insert into payment values ('r')";
const PAID: &str = "select count(*) from payment";

async fn world() -> World {
    let world = World::new().await;
    let mut session = world.session().await;
    session
        .run("create table payment (resource text); select fence.protect('payment', 'resource')")
        .await;
    session
        .run(
            "create table job (id int primary key, resource text, state text);
        insert into job values (1, 'r', 'started'); select fence.protect('job', 'resource')",
        )
        .await;
    world
}

async fn is_paid(reader: impl PgExecutor<'_>) -> bool {
    sqlx::query_scalar(IS_PAID).fetch_one(reader).await.unwrap()
}

async fn pay_once(client: &Client, fence: u64) {
    let open = client.open(&permit("r", fence)).await;
    let mut tx = client.begin(&open).await;
    assert!(!is_paid(&mut *tx).await);
    tx.execute(PAY).await.unwrap();
    tx.commit().await.unwrap();
}

/// Frozen between its read and its write, in one guarded transaction: the server ends it before the successor
/// gets in, and its decision with it.
#[tokio::test]
async fn c29_what_a_frozen_holder_read_in_its_guarded_transaction_decides_nothing_that_commits() {
    let world = world().await;
    let (frozen, successor) = (world.client().await, world.client().await);
    let first = frozen.open(&permit("r", 1)).await;
    let begun = frozen
        .guard
        .begin(&first, "pay", Uuid::nil(), STANDS_STILL)
        .await;
    let mut tx = begun.unwrap();
    assert!(!is_paid(&mut *tx).await);
    within("a successor of a frozen holder", pay_once(&successor, 2)).await;
    assert!(tx.execute(PAY).await.is_err());
    let committed = tx.commit().await;
    assert!(
        matches!(
            committed,
            Err(StoreError::Failed(_) | StoreError::Unknown(_))
        ),
        "{committed:?}"
    );
    assert_eq!(count(&world, PAID).await, 1);
}

/// While the transaction of a read lives, what it read cannot become false: nobody gets in between.
#[tokio::test]
async fn c29_a_read_in_a_guarded_transaction_stays_true_until_its_commit() {
    let world = world().await;
    let (holder, successor) = (world.client().await, world.client().await);
    let first = holder.open(&permit("r", 1)).await;
    let mut tx = holder.begin(&first).await;
    assert!(!is_paid(&mut *tx).await);
    let opening = successor.start_open(&permit("r", 2));
    world.until_blocked(successor.pid, holder.pid).await;
    assert!(!is_paid(&mut *tx).await);
    tx.execute(PAY).await.unwrap();
    tx.commit().await.unwrap();
    let second = opening.done().await.unwrap();
    let mut tx = successor.begin(&second).await;
    assert!(is_paid(&mut *tx).await);
}

/// Read outside of a transaction, under an opening that was overtaken since: the write is refused.
#[tokio::test]
async fn c29_a_balance_read_before_the_successor_came_is_not_written_by() {
    let world = world().await;
    let (frozen, successor) = (world.client().await, world.client().await);
    let first = frozen.open(&permit("r", 1)).await;
    assert!(!is_paid(frozen.guard.pool()).await);
    pay_once(&successor, 2).await;
    let late = frozen.guard.begin(&first, "pay", Uuid::nil(), HOLD).await;
    assert_eq!(late.must_refuse().reason(), Reason::Stale);
    refused(frozen.guard.pool().execute(PAY).await);
    assert_eq!(count(&world, PAID).await, 1);
}

const COMPLETE: &str = "update job set state = 'done' where id = 1";
const REVIVE: &str = "update job set state = 'started again' where id = 1";

/// The recovery selects what looks stuck, the owner completes it, and the recovery updates it by its id.
#[tokio::test]
async fn c34_a_recovery_that_never_opened_cannot_revive_completed_work() {
    let world = world().await;
    let (owner, mut recovery) = (world.client().await, world.session().await);
    let stuck: i32 = sqlx::query_scalar("select id from job where state = 'started'")
        .fetch_one(&mut recovery.connection)
        .await
        .unwrap();
    assert_eq!(stuck, 1);
    let open = owner.open(&permit("r", 1)).await;
    let mut tx = owner.begin(&open).await;
    tx.execute(COMPLETE).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        refused(recovery.attempt(REVIVE).await).reason(),
        NOT_ADMITTED
    );
    assert_eq!(
        count(&world, "select count(*) from job where state = 'done'").await,
        1
    );
}

/// A recovery that opens first and looks then sees what is done, and the owner that comes late is refused.
#[tokio::test]
async fn c34_after_a_recovery_has_opened_its_look_is_final() {
    let world = world().await;
    let (owner, recovery) = (world.client().await, world.client().await);
    let first = owner.open(&permit("r", 1)).await;
    let second = recovery.open(&permit("r", 2)).await;
    assert!(second.is_takeover());
    let late = owner
        .guard
        .begin(&first, "complete", Uuid::nil(), HOLD)
        .await;
    assert_eq!(late.must_refuse().reason(), Reason::Stale);
    let mut tx = recovery.begin(&second).await;
    let revived = tx.execute(REVIVE).await.unwrap();
    assert_eq!(revived.rows_affected(), 1);
    tx.commit().await.unwrap();
    refused(owner.guard.pool().execute(COMPLETE).await);
    assert_eq!(
        count(
            &world,
            "select count(*) from job where state = 'started again'"
        )
        .await,
        1
    );
}
