//! S1: the fences of one resource strictly grow over its openings, whatever Redis forgets.
//!
//! The race: two holders open at once, and the lower number reaches the row second, because it
//! waited for a lock. It had judged by the mark before the wait. Without the second judgement, by
//! what the lock returned, it sets the mark back, and the zombie with the lower number is admitted.
//! Also here: an opening that is retried after a lost reply (C30), and that a stale one disturbs
//! nobody.

use std::collections::BTreeMap;

use fence_guard::{Fence, Holder, Permit, Reason};
use promises::{HOLD, MustRefuse, World, charge, permit, start, within};
use uuid::Uuid;

#[tokio::test]
async fn each_opening_has_a_higher_fence_than_the_one_before() {
    let world = World::new().await;
    let a = world.client().await;
    for fence in [1, 2, 7] {
        a.open(&permit("r", fence)).await;
    }
    let openings = world.openings("r").await;
    let fences: Vec<i64> = openings.iter().map(|row| row.fence).collect();
    assert_eq!(fences, [1, 2, 7]);
    assert_eq!(world.mark("r").await, 7);
    assert!(openings[1..].iter().all(|row| row.takeover));
    assert_eq!(openings[2].previous_fence, Some(2));
}

/// C31: the one that was created second got the lower number.
#[tokio::test]
async fn a_lower_number_that_comes_later_is_refused_as_stale() {
    let world = World::new().await;
    let a = world.client().await;
    let high = permit("r", 5);
    a.open(&high).await;
    let refusal = a.guard.open(&permit("r", 3), HOLD).await.must_refuse();
    assert_eq!(refusal.reason(), Reason::Stale);
    assert_eq!(refusal.mark().get(), 5);
    assert_eq!(refusal.opened_by(), Some(high.holder()));
    assert_eq!(world.openings("r").await.len(), 1);
}

/// Both have seen mark 1. The 5 moves first and holds the row; the 3 waits for it.
#[tokio::test]
async fn an_open_that_waited_behind_a_higher_one_is_judged_again() {
    let world = World::new().await;
    let (mut five, three) = (world.session().await, world.client().await);
    three.open(&permit("r", 1)).await;

    five.run("begin").await;
    assert_eq!(five.open(&permit("r", 5)).await.unwrap().outcome, "opened");
    let waiting = three.start_open(&permit("r", 3));
    world.until_blocked(three.pid, five.pid).await;
    five.run("commit").await;

    let refusal = waiting.done().await.must_refuse();
    assert_eq!((refusal.reason(), refusal.mark().get()), (Reason::Stale, 5));
    assert_eq!(world.mark("r").await, 5);
}

/// The same where the resource has no row that could be locked yet.
#[tokio::test]
async fn the_first_openings_of_a_resource_are_judged_again_too() {
    let world = World::new().await;
    let (mut five, three) = (world.session().await, world.client().await);

    five.run("begin").await;
    assert_eq!(five.open(&permit("r", 5)).await.unwrap().outcome, "opened");
    let waiting = three.start_open(&permit("r", 3));
    world.until_blocked(three.pid, five.pid).await;
    five.run("commit").await;

    let refusal = waiting.done().await.must_refuse();
    assert_eq!((refusal.reason(), refusal.mark().get()), (Reason::Stale, 5));
    assert_eq!(world.openings("r").await.len(), 1);
}

#[tokio::test]
async fn an_opening_that_was_rolled_back_never_happened() {
    let world = World::new().await;
    let (mut five, three) = (world.session().await, world.client().await);

    five.run("begin").await;
    five.open(&permit("r", 5)).await.unwrap();
    let waiting = three.start_open(&permit("r", 3));
    world.until_blocked(three.pid, five.pid).await;
    five.run("rollback").await;

    waiting.done().await.unwrap();
    assert_eq!(world.mark("r").await, 3);
}

/// Sixteen tasks open two resources under numbers that come in no order. Whoever was told "opened"
/// has a row, whoever was told "stale" was told the truth, and the rows grow.
#[tokio::test]
async fn openings_of_many_tasks_at_once_strictly_grow() {
    let world = World::new().await;
    let mut tasks = Vec::new();
    for task in 0..16_u64 {
        let client = world.client().await;
        tasks.push(start(async move {
            let mut opened = Vec::new();
            for step in 0..12 {
                // Coprime to 211, so that no two of the 192 attempts have one number.
                let fence = Fence::new((task * 12 + step) * 97 % 211 + 1).unwrap();
                let name = promises::resource(["left", "right"][(step % 2) as usize]);
                let permit = Permit::new(name, fence, Holder::random());
                match client.guard.open(&permit, HOLD).await {
                    Ok(open) => opened.push(open.permit().clone()),
                    Err(error) => {
                        let refusal = Err::<(), _>(error).must_refuse();
                        assert_eq!(refusal.reason(), Reason::Stale);
                        assert!(refusal.mark().get() > fence.get());
                    }
                }
            }
            opened
        }));
    }
    let mut told: BTreeMap<(String, i64), Uuid> = BTreeMap::new();
    for task in tasks {
        for permit in task.done().await {
            let key = (permit.resource().to_string(), permit.fence().as_i64());
            told.insert(key, permit.holder().as_uuid());
        }
    }

    let mut rows = BTreeMap::new();
    for name in ["left", "right"] {
        let openings = world.openings(name).await;
        assert!(openings.windows(2).all(|two| two[0].fence < two[1].fence));
        assert_eq!(
            openings.last().unwrap().fence as u64,
            world.mark(name).await
        );
        rows.extend(
            openings
                .into_iter()
                .map(|o| ((o.resource, o.fence), o.holder)),
        );
    }
    assert_eq!(rows, told);
    assert!(world.findings().await.is_empty());
}

/// C30: an open whose reply was lost is sent again.
#[tokio::test]
async fn an_open_that_is_sent_again_is_the_same_opening() {
    let world = World::new().await;
    let (a, b) = (world.client().await, world.client().await);
    let permit = permit("r", 4);
    let first = a.open(&permit).await;
    let again = b.open(&permit).await;
    assert_eq!(again.seq(), first.seq());
    assert_eq!(again.valid_until(), first.valid_until());
    assert_eq!(world.openings("r").await.len(), 1);
}

/// C30 again, with the holder's own write in flight: the retry must not wait for it, since the
/// holder may itself be what the write waits for.
#[tokio::test]
async fn an_open_that_is_sent_again_does_not_wait_for_its_own_writes() {
    let world = World::new().await;
    let (writer, retry) = (world.client().await, world.client().await);
    let permit = permit("r", 4);
    let open = writer.open(&permit).await;
    let tx = writer.begin(&open).await;
    within("an open that is sent again", retry.open(&permit)).await;
    tx.commit().await.unwrap();
}

/// The open was sent, waited for a writer, and the caller lost patience; then it tries again.
#[tokio::test]
async fn an_open_whose_caller_gave_up_while_it_waited_can_be_sent_again() {
    let world = World::new().await;
    let (writer, gave_up) = (world.client().await, world.client().await);
    let open = writer.open(&permit("r", 1)).await;
    let tx = writer.begin(&open).await;
    let second = permit("r", 2);
    let waiting = gave_up.start_open(&second);
    world.until_blocked(gave_up.pid, writer.pid).await;
    waiting.cancel().await;
    tx.commit().await.unwrap();

    let retry = world.client().await;
    within("the second attempt", retry.open(&second)).await;
    assert_eq!(world.mark("r").await, 2);
    assert_eq!(world.openings("r").await.len(), 2);
}

/// A stale open that queued for the row would make every writer of the rightful holder queue
/// behind it. The writer moves first and stays; the stale open must answer all the same.
#[tokio::test]
async fn a_stale_open_waits_for_nobody() {
    let world = World::new().await;
    let (writer, stale) = (world.client().await, world.client().await);
    let alice = world.account("alice", 1).await;
    let open = writer.open(&permit("r", 2)).await;
    let mut tx = writer.begin(&open).await;
    let refused = within("a stale open", stale.guard.open(&permit("r", 1), HOLD)).await;
    assert_eq!(refused.must_refuse().reason(), Reason::Stale);
    let applied = writer
        .ledger
        .charge_within(&mut tx, &open, &charge(&alice, 1))
        .await;
    assert_eq!(applied.unwrap().balance_after, 0);
    tx.commit().await.unwrap();
}
