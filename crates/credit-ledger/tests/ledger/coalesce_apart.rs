//! The batching front couples nothing: whatever somebody has locked, or the guard refuses, goes alone, and the others
//! go on. And what is sent together is fenced like everything else.

use std::sync::Arc;

use credit_ledger::{Applied, Charge, CoalesceOptions, Coalescer, Error};
use fence::Reason;
use fence_guard::OpenPermit;
use promises::{Started, World, charge, permit, start, within};

use crate::coalesce::{charge_at_once, front, until_somebody_waits};
use crate::unknown::terminate;

/// Starts a charge through the front.
pub(crate) fn send(
    front: &Coalescer,
    open: &Arc<OpenPermit>,
    charge: &Charge,
) -> Started<Result<Applied, Error>> {
    let (front, open, charge) = (front.clone(), open.clone(), charge.clone());
    start(async move { front.charge(&open, &charge).await })
}

#[tokio::test]
async fn a_charge_whose_account_is_locked_waits_alone_with_those_behind_it_and_no_other_does() {
    let world = World::new().await;
    let (client, mut holder) = (world.client().await, world.session().await);
    let (alice, bob) = (
        world.account("alice", 10).await,
        world.account("bob", 10).await,
    );
    let open = client.open(&permit("r", 1)).await;
    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    holder.hold_account(&alice).await;
    let first = send(&front, &open, &charge(&alice, 1));
    until_somebody_waits(&world, holder.pid).await;
    let second = send(&front, &open, &charge(&alice, 2));
    for left in [9, 8, 7] {
        let bobs = charge(&bob, 1);
        let applied = within("a charge of another account", front.charge(&open, &bobs)).await;
        assert_eq!(applied.unwrap().balance_after, left);
    }
    assert!(first.is_running() && second.is_running());
    holder.run("rollback").await;
    assert_eq!(first.done().await.unwrap().balance_after, 9);
    assert_eq!(second.done().await.unwrap().balance_after, 7);
}

#[tokio::test]
async fn a_charge_whose_resource_is_being_taken_over_goes_alone_and_is_refused_and_kept_as_one_row()
{
    let world = World::new().await;
    let (client, opener) = (world.client().await, world.client().await);
    let mut writer = world.session().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let other = client.open(&permit("other", 1)).await;
    // A writer in flight keeps the successor waiting, and whoever comes then waits behind the successor.
    writer.run("begin").await;
    writer.admit(&[open.permit()]).await.unwrap();
    let opening = opener.start_open(&permit("r", 2));
    world.until_blocked(opener.pid, writer.pid).await;

    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    let late = send(&front, &open, &charge(&alice, 5));
    until_somebody_waits(&world, opener.pid).await;
    let bob = world.account("bob", 10).await;
    let bobs = charge(&bob, 1);
    let applied = within("a charge of another resource", front.charge(&other, &bobs)).await;
    assert_eq!(applied.unwrap().balance_after, 9);
    assert!(late.is_running());

    writer.run("commit").await;
    opening.done().await.unwrap();
    let refusal = match late.done().await {
        Err(Error::Refused(refusal)) => refusal,
        outcome => panic!("{outcome:?}"),
    };
    assert_eq!(refusal.reason(), Reason::Stale);
    let rows = world.refusals().await;
    assert_eq!((rows.len(), rows[0].attempts), (1, 1));
    assert_eq!(world.balance(&alice).await, 10);
    assert!(world.findings().await.is_empty());
}

/// S2: what is sent together is in flight until its commit, and an opening waits it out.
#[tokio::test]
async fn an_opening_waits_for_charges_that_are_sent_together_and_those_after_it_are_refused() {
    let world = World::new().await;
    let (client, opener) = (world.client().await, world.client().await);
    let mut holder = world.session().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    // Nothing that the call asks for makes it wait; a lock of the whole table does.
    holder
        .run("begin; lock table credit.entry in share mode")
        .await;
    let charging = send(&front, &open, &charge(&alice, 4));
    let batch = until_somebody_waits(&world, holder.pid).await;
    let opening = opener.start_open(&permit("r", 2));
    world.until_blocked(opener.pid, batch).await;
    holder.run("commit").await;
    let applied = charging.done().await.unwrap();
    let opened = opening.done().await.unwrap();
    assert_eq!(applied.balance_after, 6);
    assert!(opened.is_takeover());
    let outcome = front.charge(&open, &charge(&alice, 1)).await;
    assert!(matches!(outcome, Err(Error::Refused(_))), "{outcome:?}");
    assert_eq!(world.balance(&alice).await, 6);
    assert!(world.findings().await.is_empty());
}

/// C46, for many at once.
#[tokio::test]
async fn charges_whose_common_call_is_cut_off_are_found_or_made_each_under_its_request_id() {
    let world = World::new().await;
    let client = world.client().await;
    let mut holder = world.session().await;
    let (alice, bob) = (
        world.account("alice", 10).await,
        world.account("bob", 10).await,
    );
    let open = client.open(&permit("r", 1)).await;
    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    holder
        .run("begin; lock table credit.entry in share mode")
        .await;
    let alices = send(&front, &open, &charge(&alice, 4));
    let batch = until_somebody_waits(&world, holder.pid).await;
    let bobs = send(&front, &open, &charge(&bob, 3));
    terminate(&world, batch).await;
    holder.run("commit").await;
    assert_eq!(alices.done().await.unwrap().balance_after, 6);
    assert_eq!(bobs.done().await.unwrap().balance_after, 7);
    assert_eq!(world.balance(&alice).await, 6);
}

/// Each of many accounts locked, and each of many resources taken over in turn: as many wait as may, alone.
#[tokio::test]
async fn as_many_go_alone_at_once_as_the_options_say_and_one_that_is_dropped_is_not_sent() {
    let world = World::new().await;
    let client = world.client().await;
    let (mut one, mut two) = (world.session().await, world.session().await);
    let (alice, bob) = (
        world.account("alice", 10).await,
        world.account("bob", 10).await,
    );
    let open = client.open(&permit("r", 1)).await;
    let options = CoalesceOptions::default().with_alone(1);
    let (front, _pool) = front(&world, options).await;
    one.hold_account(&alice).await;
    two.hold_account(&bob).await;
    let alices = send(&front, &open, &charge(&alice, 1));
    until_somebody_waits(&world, one.pid).await;
    let bobs = send(&front, &open, &charge(&bob, 1));
    let dropped = send(&front, &open, &charge(&alice, 5));
    // A charge of a third account is answered after the call that Bob's was in: his is in its lane by then.
    let carol = world.account("carol", 10).await;
    front.charge(&open, &charge(&carol, 1)).await.unwrap();
    front.charge(&open, &charge(&carol, 1)).await.unwrap();
    dropped.cancel().await;
    assert!(!is_waited_for(&world, two.pid).await);
    one.run("rollback").await;
    assert_eq!(alices.done().await.unwrap().balance_after, 9);
    until_somebody_waits(&world, two.pid).await;
    two.run("rollback").await;
    assert_eq!(bobs.done().await.unwrap().balance_after, 9);
    within("the end", front.finish()).await;
    assert_eq!(world.balance(&alice).await, 9);
}

async fn is_waited_for(world: &World, pid: i32) -> bool {
    let query =
        "select exists (select from pg_stat_activity where $1 = any (pg_blocking_pids(pid)))";
    let query = sqlx::query_scalar(query).bind(pid);
    query.fetch_one(world.pool()).await.unwrap()
}

/// S3, S5, S7: the guard's word on each is the same as for a charge that is sent alone.
#[tokio::test]
async fn what_the_guard_refuses_among_charges_that_are_sent_together_is_refused_by_its_reason_and_kept()
 {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 100).await;
    let first = client.open(&permit("stale", 1)).await;
    client.open(&permit("stale", 2)).await;
    let closed = client.open(&permit("closed", 1)).await;
    client.close(&closed).await;
    let good = client.open(&permit("good", 1)).await;
    let (front, pool) = front(&world, CoalesceOptions::default()).await;
    let charges = [&*first, &*good, &*closed, &*good].map(|open| (open, charge(&alice, 1)));
    let outcomes = charge_at_once(
        &front,
        &pool,
        charges.iter().map(|(open, charge)| (*open, charge)),
    )
    .await;
    let words: Vec<String> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok(applied) => applied.balance_after.to_string(),
            Err(Error::Refused(refusal)) => refusal.reason().to_string(),
            Err(error) => panic!("{error}"),
        })
        .collect();
    assert_eq!(words, ["stale", "99", "closed", "98"]);
    let rows = world.refusals().await;
    let kept: Vec<String> = rows.iter().map(|row| row.reason.to_string()).collect();
    assert_eq!(kept, ["stale", "closed"]);
    assert!(world.findings().await.is_empty());
}
