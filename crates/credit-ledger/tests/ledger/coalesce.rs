//! The batching front: charges that come at once share a call and a commit, each caller gets its own answer, the order
//! of an account is kept, and nothing is lost at the end of the process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use credit_ledger::{
    Account, Applied, Charge, CoalesceOptions, Coalescer, Credits, Error, Hold, Ledger, Purpose,
    RequestId,
};
use fence_guard::{Guard, OpenPermit};
use futures_util::future::join_all;
use promises::{
    BLOCKED_WITHIN, Client, HOLD, LOOK_EVERY, World, charge, charge_of, permit, start, within,
};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

/// A front of its own, with the connections that its defaults ask for.
pub(crate) async fn front(world: &World, options: CoalesceOptions) -> (Coalescer, PgPool) {
    let connect = PgPoolOptions::new().max_connections(5);
    let target = (*world.pool().connect_options()).clone();
    let pool = connect.connect_with(target).await.unwrap();
    (Ledger::new(pool.clone()).coalescer(options), pool)
}

/// One opening for each of so many resources.
async fn openings(world: &World, count: usize) -> Vec<OpenPermit> {
    let guard = Guard::new(world.pool().clone());
    let mut openings = Vec::new();
    for n in 0..count {
        openings.push(
            guard
                .open(&permit(&format!("r{n}"), 1), HOLD)
                .await
                .unwrap(),
        );
    }
    openings
}

/// Sends all of them in this order before any is on its way: the pool has no connection until then.
pub(crate) async fn charge_at_once<'c>(
    front: &Coalescer,
    pool: &PgPool,
    charges: impl IntoIterator<Item = (&'c OpenPermit, &'c Charge)>,
) -> Vec<Result<Applied, Error>> {
    let mut all = Vec::new();
    for _ in 0..pool.options().get_max_connections() {
        all.push(pool.acquire().await.unwrap());
    }
    let charges = charges
        .into_iter()
        .map(|(open, charge)| front.charge(open, charge));
    let (outcomes, ()) = tokio::join!(join_all(charges), async { drop(all) });
    outcomes
}

/// How many transactions have written charges.
async fn commits(world: &World) -> i64 {
    let query = "select count(distinct xmin::text) from credit.entry where operation = 'charge'";
    sqlx::query_scalar(query)
        .fetch_one(world.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn charges_that_come_at_once_are_sent_together_and_each_gets_its_own_answer() {
    const CHARGES: usize = 62;
    let world = World::new().await;
    let opens = openings(&world, CHARGES + 2).await;
    let mut charges = Vec::new();
    for n in 0..CHARGES {
        let account = world.account(&format!("a{n}"), 100).await;
        charges.push(charge(&account, i64::try_from(n).unwrap() + 1));
    }
    let (front, pool) = front(&world, CoalesceOptions::default()).await;
    // Among them one that was charged before, and one that is not covered: they part nobody from the others.
    let (again, poor) = (
        world.account("again", 100).await,
        world.account("poor", 1).await,
    );
    charges.extend([charge(&again, 1), charge(&poor, 2)]);
    front
        .charge(&opens[CHARGES], &charges[CHARGES])
        .await
        .unwrap();

    let mut outcomes = charge_at_once(&front, &pool, opens.iter().zip(&charges)).await;
    let (poor, again) = (outcomes.pop().unwrap(), outcomes.pop().unwrap());
    assert!(
        matches!(poor, Err(Error::InsufficientCredit { balance: 1, .. })),
        "{poor:?}"
    );
    assert!(again.unwrap().replayed);
    for (outcome, charge) in outcomes.iter().zip(&charges) {
        let applied = outcome.as_ref().unwrap();
        assert_eq!(applied.balance_after, 100 - charge.amount.get());
        assert_eq!(world.balance(&charge.account).await, applied.balance_after);
    }
    // The one before; and a first call may have left before the others came.
    let commits = commits(&world).await;
    assert!(commits <= 3, "{commits}");
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn charges_of_one_account_are_applied_in_the_order_in_which_they_came_also_around_one_that_is_not_covered()
 {
    let world = World::new().await;
    let opens = openings(&world, 3).await;
    let alice = world.account("alice", 10).await;
    let amounts = [4, 7, 2, 5, 3, 1, 1];
    let charges = amounts.map(|amount| charge(&alice, amount));
    let (front, pool) = front(&world, CoalesceOptions::default()).await;
    let outcomes = charge_at_once(&front, &pool, opens.iter().cycle().zip(&charges)).await;
    let left: Vec<Option<i64>> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok(applied) => Some(applied.balance_after),
            Err(Error::InsufficientCredit { .. }) => None,
            Err(error) => panic!("{error}"),
        })
        .collect();
    // 7 is not covered by the 6 that 4 has left; nor is 5 by 4, nor 3 by … one after the other.
    assert_eq!(left, [Some(6), None, Some(4), None, Some(1), Some(0), None]);
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn one_request_id_is_charged_once_however_often_it_comes_at_once() {
    let world = World::new().await;
    let opens = openings(&world, 1).await;
    let alice = world.account("alice", 100).await;
    let (first, other) = (charge(&alice, 3), charge(&alice, 5));
    let otherwise = charge_of(first.request, &alice, 4);
    let (front, pool) = front(&world, CoalesceOptions::default()).await;
    let sent = [&first, &first, &other, &otherwise, &first];
    let outcomes = charge_at_once(&front, &pool, sent.map(|charge| (&opens[0], charge))).await;
    let mut applied: Vec<&Applied> = outcomes
        .iter()
        .filter_map(|outcome| outcome.as_ref().ok())
        .collect();
    assert_eq!(applied.len(), 4, "{outcomes:?}");
    let field = |outcome: &Result<Applied, Error>| match outcome {
        Err(Error::Mismatch { field }) => field.clone(),
        outcome => panic!("{outcome:?}"),
    };
    assert_eq!(field(&outcomes[3]), "amount");
    applied.retain(|applied| !applied.replayed);
    assert_eq!(applied.len(), 2);
    assert_eq!(world.balance(&alice).await, 92);

    // Later on, too, and by whoever has been overtaken since.
    let client = world.client().await;
    client.open(&permit("r0", 2)).await;
    let again = front.charge(&opens[0], &first).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.seq, outcomes[0].as_ref().unwrap().seq);
}

#[tokio::test]
async fn a_request_id_that_a_hold_has_used_is_a_mismatch() {
    let world = World::new().await;
    let opens = openings(&world, 1).await;
    let alice = world.account("alice", 100).await;
    let hold = hold_of(&alice, 3);
    world.ledger().hold(&opens[0], &hold).await.unwrap();
    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    let outcome = front
        .charge(&opens[0], &charge_of(hold.request, &alice, 3))
        .await;
    assert!(
        matches!(&outcome, Err(Error::Mismatch { field }) if field == "operation"),
        "{outcome:?}"
    );
    assert_eq!(world.balance(&alice).await, 100);
}

/// Void holds are not in the way of a charge; those that hold are.
#[tokio::test]
async fn what_is_held_is_not_charged_and_what_is_void_or_expired_is() {
    let world = World::new().await;
    let client: Client = world.client().await;
    let alice = world.account("alice", 10).await;
    let first = client.open(&permit("r", 1)).await;
    let hold = hold_of(&alice, 8);
    client.ledger.hold(&first, &hold).await.unwrap();
    let other = client.open(&permit("other", 1)).await;
    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    let outcome = front.charge(&other, &charge(&alice, 3)).await;
    assert!(
        matches!(
            outcome,
            Err(Error::InsufficientCredit {
                balance: 10,
                held: 8
            })
        ),
        "{outcome:?}"
    );
    client.open(&permit("r", 2)).await;
    let applied = front.charge(&other, &charge(&alice, 3)).await.unwrap();
    assert_eq!(applied.balance_after, 7);

    // One that has expired is not even in the way of the common call.
    let brief = Hold {
        expires_in: Duration::from_millis(1),
        ..hold_of(&alice, 6)
    };
    client.ledger.hold(&other, &brief).await.unwrap();
    let permit = other.permit();
    let together = "select balance_after from pg_sleep(0.002), credit.charge_together(
        array[$1], array[$2], array[$3], array[gen_random_uuid()], array['alice'], array[3::bigint], array['query'])";
    let together: Option<i64> = sqlx::query_scalar(together)
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .fetch_optional(world.pool())
        .await
        .unwrap();
    assert_eq!(together, Some(4));
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn a_front_that_finishes_answers_what_it_has_taken_and_takes_no_more() {
    let world = World::new().await;
    let mut holder = world.session().await;
    let opens = openings(&world, 1).await;
    let open = Arc::new(opens.into_iter().next().unwrap());
    let (alice, bob) = (
        world.account("alice", 10).await,
        world.account("bob", 10).await,
    );
    let (front, _pool) = front(&world, CoalesceOptions::default().with_capacity(1)).await;
    let send = |charge: Charge| {
        let (front, open) = (front.clone(), open.clone());
        start(async move { front.charge(&open, &charge).await })
    };
    // Alice's is on its way, and has the only room; Bob's waits for room.
    holder.hold_account(&alice).await;
    let inside = send(charge(&alice, 1));
    until_somebody_waits(&world, holder.pid).await;
    let outside = send(charge(&bob, 1));

    let finishing = front.clone();
    let finishing = start(async move { finishing.finish().await });
    let outcome = outside.done().await;
    assert!(matches!(outcome, Err(Error::Finished)), "{outcome:?}");
    assert!(finishing.is_running() && inside.is_running());
    holder.run("rollback").await;
    assert_eq!(inside.done().await.unwrap().balance_after, 9);
    finishing.done().await;
    assert_eq!(world.balance(&bob).await, 10);

    let outcome = within(
        "a charge after the end",
        front.charge(&open, &charge(&bob, 1)),
    )
    .await;
    assert!(matches!(outcome, Err(Error::Finished)), "{outcome:?}");
    within("a second end", front.finish()).await;
}

/// Returns the backend that waits for that one, once there is one.
///
/// # Panics
/// When there is none within [`BLOCKED_WITHIN`].
pub(crate) async fn until_somebody_waits(world: &World, by: i32) -> i32 {
    let deadline = Instant::now() + BLOCKED_WITHIN;
    loop {
        let waiting = "select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
        let waiting = sqlx::query_scalar(waiting).bind(by);
        if let Some(pid) = waiting.fetch_optional(world.pool()).await.unwrap() {
            return pid;
        }
        assert!(Instant::now() < deadline, "nobody waits for backend {by}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A hold of so many credits for as long as any test runs.
fn hold_of(account: &Account, amount: i64) -> Hold {
    Hold {
        request: RequestId::random(),
        account: account.clone(),
        amount: Credits::new(amount).unwrap(),
        purpose: Purpose::new("query").unwrap(),
        expires_in: HOLD,
    }
}
