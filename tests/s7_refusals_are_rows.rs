//! S7: every refusal that `admit` or a ledger function returns is one row, true, and bounded: a
//! repeat raises `attempts`, it adds no row.
//!
//! The race: a refused write has waited, and what it saw before the wait is not what refused it. A
//! row with the older numbers says "stale, the mark was 1" to a holder of 1. And C33: a zombie that
//! loops on a refused write must not fill the disk, also not from many connections at once.

use credit_ledger::{Charge, Filter};
use fence_guard::{Permit, Reason, RefusalRow};
use promises::{HOLD, MustRefuse, Session, World, charge, permit, same_number, start, within};
use uuid::Uuid;

/// A world in which `r` was opened under 2 by a holder, and the permits that are refused there.
struct Refusing {
    world: World,
    session: Session,
    opened: Permit,
    alice: credit_ledger::Account,
}

impl Refusing {
    async fn new() -> Refusing {
        let world = World::new().await;
        let mut session = world.session().await;
        let alice = world.account("alice", 10).await;
        let opened = permit("r", 2);
        session.open(&opened).await.unwrap();
        Refusing {
            world,
            session,
            opened,
            alice,
        }
    }

    /// Each reason, and a permit that is refused for it.
    fn refused(&self) -> [(&'static str, Permit); 3] {
        [
            ("stale", permit("r", 1)),
            ("conflict", same_number(&self.opened)),
            ("not open", permit("r", 3)),
        ]
    }
}

/// That the row says of this permit what the guard saw: fence 2, and who had opened it.
fn assert_true(row: &RefusalRow, reason: &str, shown: &Permit, opened: &Permit) {
    assert_eq!(row.reason, reason);
    assert_eq!(row.resource, "r");
    assert_eq!(row.presented_fence, shown.fence().as_i64());
    assert_eq!(row.presented_holder, shown.holder().as_uuid());
    assert_eq!(row.observed_fence, opened.fence().as_i64());
    assert_eq!(row.observed_holder, Some(opened.holder().as_uuid()));
    assert_eq!(row.attempts, 1);
}

#[tokio::test]
async fn each_reason_of_a_refused_admission_is_a_true_row() {
    let mut here = Refusing::new().await;
    let mut refused = here.refused().to_vec();
    for (reason, shown) in &refused {
        let answer = here.session.admit(&[shown]).await.unwrap();
        assert_eq!(&answer.outcome, reason);
    }
    here.session.close(&here.opened).await.unwrap();
    refused.push(("closed", here.opened.clone()));
    let closed = here.session.admit(&[&here.opened]).await.unwrap();
    assert_eq!(closed.outcome, "closed");

    let rows = here.world.refusals().await;
    assert_eq!(rows.len(), refused.len());
    for (row, (reason, shown)) in rows.iter().zip(&refused) {
        assert_true(row, reason, shown, &here.opened);
        assert_eq!(
            (row.operation.as_str(), row.request),
            ("query", Uuid::nil())
        );
    }
    assert!(here.world.findings().await.is_empty());
}

#[tokio::test]
async fn each_reason_of_a_refused_charge_is_a_true_row_with_the_charge_in_it() {
    let mut here = Refusing::new().await;
    let mut refused = here.refused().to_vec();
    let charges: Vec<Charge> = (1..=4).map(|amount| charge(&here.alice, amount)).collect();
    for ((reason, shown), charge) in refused.iter().zip(&charges) {
        let answer = here.session.charge(shown, charge).await.unwrap();
        assert_eq!(&answer.outcome, reason);
        assert_eq!(answer.mark, Some(2));
    }
    here.session.close(&here.opened).await.unwrap();
    refused.push(("closed", here.opened.clone()));
    let closed = here
        .session
        .charge(&here.opened, &charges[3])
        .await
        .unwrap();
    assert_eq!(closed.outcome, "closed");

    let rows = here.world.refusals().await;
    let writes = here
        .world
        .ledger()
        .refusals(Filter::all(), None, 0, 100)
        .await
        .unwrap();
    assert_eq!((rows.len(), writes.len()), (4, 4));
    for (index, (reason, shown)) in refused.iter().enumerate() {
        assert_true(&rows[index], reason, shown, &here.opened);
        assert_eq!(rows[index].operation, "charge");
        assert_eq!(rows[index].request, charges[index].request.as_uuid());
        let write = &writes[index];
        assert_eq!(
            (write.account.as_str(), write.amount),
            ("alice", index as i64 + 1)
        );
        assert_eq!(
            (write.purpose.as_str(), write.seq),
            ("query", rows[index].seq)
        );
    }
    assert!(here.world.findings().await.is_empty());
}

/// Where nothing was ever opened, the row says 0 and nobody.
#[tokio::test]
async fn a_write_to_a_resource_that_nobody_opened_is_a_row_that_says_so() {
    let mut here = Refusing::new().await;
    let shown = permit("never", 7);
    let charge = charge(&here.alice, 1);
    let answer = here.session.charge(&shown, &charge).await.unwrap();
    assert_eq!(answer.outcome, "not open");
    let rows = here.world.refusals().await;
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].observed_fence, rows[0].observed_holder), (0, None));
}

/// C33. The mark rises meanwhile: the row keeps what was seen first, and stays true.
#[tokio::test]
async fn a_zombie_that_repeats_a_refused_write_adds_no_row() {
    let mut here = Refusing::new().await;
    let zombie = permit("r", 1);
    let write = charge(&here.alice, 1);
    for attempt in 1..=5 {
        here.session.charge(&zombie, &write).await.unwrap();
        here.session.admit(&[&zombie]).await.unwrap();
        if attempt == 3 {
            here.session.open(&permit("r", 8)).await.unwrap();
        }
    }
    let rows = here.world.refusals().await;
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((row.attempts, row.observed_fence), (5, 2));
        assert!(row.last_at > row.first_at);
    }
    assert!(here.world.findings().await.is_empty());
}

/// All of them find no row of the refusal yet, and write it at once.
#[tokio::test]
async fn one_write_that_is_refused_on_many_connections_at_once_is_one_row() {
    let here = Refusing::new().await;
    let zombie = permit("r", 1);
    let write = charge(&here.alice, 1);
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let mut session = here.world.session().await;
        let (zombie, write) = (zombie.clone(), write.clone());
        tasks.push(start(async move { session.charge(&zombie, &write).await }));
    }
    for task in tasks {
        assert_eq!(task.done().await.unwrap().outcome, "stale");
    }
    let rows = here.world.refusals().await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].attempts, 8);
}

/// The refused transaction is over when the typed call returns: its row is there to be read, and
/// its locks are gone.
#[tokio::test]
async fn a_refused_begin_has_committed_its_row_and_let_go_of_the_resource() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let first = old.open(&permit("r", 1)).await;
    new.open(&permit("r", 2)).await;
    let request = Uuid::new_v4();
    let begun = old.guard.begin(&first, "export", request, HOLD).await;
    assert_eq!(begun.must_refuse().reason(), Reason::Stale);

    let rows = world.refusals().await;
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0].operation.as_str(), rows[0].request),
        ("export", request)
    );
    within("an opening after a refusal", new.open(&permit("r", 3))).await;
}

/// Two operations of one holder under one permit are two refused writes.
#[tokio::test]
async fn different_operations_and_requests_are_different_rows() {
    let world = World::new().await;
    let client = world.client().await;
    let first = client.open(&permit("r", 1)).await;
    client.open(&permit("r", 2)).await;
    let (one, two) = (Uuid::new_v4(), Uuid::new_v4());
    for (operation, request) in [("a", one), ("b", one), ("a", two), ("a", one)] {
        let begun = client.guard.begin(&first, operation, request, HOLD).await;
        begun.must_refuse();
    }
    let attempts: Vec<i64> = world.refusals().await.iter().map(|r| r.attempts).collect();
    assert_eq!(attempts, [2, 1, 1]);
}

/// The opening moves first and holds the row; the write has seen mark 1 and waits. What refuses it
/// is mark 2, and so says the row.
#[tokio::test]
async fn a_refusal_says_what_was_seen_after_the_wait() {
    let world = World::new().await;
    let (old, mut new) = (world.client().await, world.session().await);
    let alice = world.account("alice", 10).await;
    let first = old.open(&permit("r", 1)).await;
    let second = permit("r", 2);
    new.run("begin").await;
    new.open(&second).await.unwrap();
    let late = old.start_charge(&first, &charge(&alice, 1));
    world.until_blocked(old.pid, new.pid).await;
    new.run("commit").await;
    late.done().await.must_refuse();

    let rows = world.refusals().await;
    assert_eq!(rows.len(), 1);
    assert_true(&rows[0], "stale", first.permit(), &second);
}

/// A refusal that was not committed was not returned to anybody who could act on it: no row, and
/// the next attempt is the first one.
#[tokio::test]
async fn a_refusal_in_a_transaction_that_is_rolled_back_leaves_no_row() {
    let mut here = Refusing::new().await;
    let zombie = permit("r", 1);
    let write = charge(&here.alice, 1);
    here.session.run("begin").await;
    let answer = here.session.charge(&zombie, &write).await.unwrap();
    assert_eq!(answer.outcome, "stale");
    here.session.run("rollback").await;
    assert!(here.world.refusals().await.is_empty());

    here.session.charge(&zombie, &write).await.unwrap();
    assert_eq!(here.world.refusals().await[0].attempts, 1);
}

/// Of several permits the first refused one, in the order of the names, is the row.
#[tokio::test]
async fn of_several_permits_the_refused_one_is_the_row() {
    let mut here = Refusing::new().await;
    let other = permit("a", 4);
    here.session.open(&other).await.unwrap();
    let zombie = permit("r", 1);
    let answer = here.session.admit(&[&zombie, &other]).await.unwrap();
    assert_eq!(answer.outcome, "stale");
    let rows = here.world.refusals().await;
    assert_eq!(rows.len(), 1);
    assert_true(&rows[0], "stale", &zombie, &here.opened);
}

/// An untrue row does not get in, whoever writes it.
#[tokio::test]
async fn the_table_takes_no_refusal_that_is_untrue() {
    let mut here = Refusing::new().await;
    let write = charge(&here.alice, 1);
    for (_, shown) in here.refused() {
        here.session.charge(&shown, &write).await.unwrap();
    }
    here.session.close(&here.opened).await.unwrap();
    let closed = here.session.charge(&here.opened, &write).await.unwrap();
    assert_eq!(closed.outcome, "closed");
    for statement in [
        "update fence.refusal set observed_fence = presented_fence where reason = 'stale'",
        "update fence.refusal set observed_fence = presented_fence where reason = 'not open'",
        "update fence.refusal set observed_fence = 9 where reason = 'conflict'",
        "update fence.refusal set observed_holder = presented_holder where reason = 'conflict'",
        // A comparison with null is null, and a check lets null pass.
        "update fence.refusal set observed_holder = null where reason = 'conflict'",
        "update fence.refusal set observed_holder = null where reason = 'closed'",
        "update fence.refusal set observed_holder = gen_random_uuid() where reason = 'closed'",
        "update fence.refusal set observed_fence = 9 where reason = 'closed'",
        "update fence.refusal set reason = 'closed'",
        "update fence.refusal set reason = 'busy'",
    ] {
        let refused = here.session.attempt(statement).await;
        assert_eq!(promises::sqlstate(refused), "23514", "{statement}");
    }
}
