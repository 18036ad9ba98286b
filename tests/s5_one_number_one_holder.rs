//! S5: two holders never both write under one number; the second gets *conflict*.
//!
//! The race is C23: a lagging Redis replica was promoted, minted a number again, and two holders
//! have it. Whichever opens first has it; the other one is turned away from open, admit, charge and
//! close. Without the comparison of holders both are admitted, and no fence tells them apart.

use fence_guard::{Permit, Reason};
use promises::{
    HOLD, MustRefuse, Session, World, account, charge, permit, resource, same_number, sqlstate,
    start,
};

#[tokio::test]
async fn the_second_holder_of_a_number_gets_conflict_whatever_it_calls() {
    let world = World::new().await;
    let (first, mut second) = (world.client().await, world.session().await);
    let alice = world.account("alice", 5).await;
    let winner = permit("r", 3);
    let loser = same_number(&winner);
    let open = first.open(&winner).await;

    let refusal = first.guard.open(&loser, HOLD).await.must_refuse();
    assert_eq!(refusal.reason(), Reason::Conflict);
    assert_eq!(refusal.mark().get(), 3);
    assert_eq!(refusal.opened_by(), Some(winner.holder()));

    let admitted = second.admit(&[&loser]).await.unwrap();
    let charged = second.charge(&loser, &charge(&alice, 1)).await.unwrap();
    let closed = second.close(&loser).await.unwrap();
    for answer in [admitted, charged, closed] {
        assert_eq!(answer.outcome, "conflict");
        assert_eq!(answer.mark, Some(3));
        assert_eq!(answer.mark_holder, Some(winner.holder().as_uuid()));
    }

    // None of it has disturbed the first.
    first.charge(&open, &charge(&alice, 1)).await;
    assert_eq!(world.charges(&alice).await.len(), 1);
    assert_eq!(world.openings("r").await.len(), 1);
}

/// The order of creation does not count, only that of opening.
#[tokio::test]
async fn whoever_opens_first_has_the_number_also_when_it_was_minted_for_it_second() {
    let world = World::new().await;
    let client = world.client().await;
    let minted_first = permit("r", 3);
    let minted_second = same_number(&minted_first);
    client.open(&minted_second).await;
    let refusal = client.guard.open(&minted_first, HOLD).await.must_refuse();
    assert_eq!(refusal.reason(), Reason::Conflict);
    assert_eq!(refusal.opened_by(), Some(minted_second.holder()));
}

/// The first has the row and has not committed; the second waits with a judgement from before.
#[tokio::test]
async fn an_open_that_waited_behind_its_own_number_gets_conflict() {
    let world = World::new().await;
    let (mut first, second) = (world.session().await, world.client().await);
    second.open(&permit("r", 1)).await;
    let winner = permit("r", 2);

    first.run("begin").await;
    assert_eq!(first.open(&winner).await.unwrap().outcome, "opened");
    let waiting = second.start_open(&same_number(&winner));
    world.until_blocked(second.pid, first.pid).await;
    first.run("commit").await;

    let refusal = waiting.done().await.must_refuse();
    assert_eq!(refusal.reason(), Reason::Conflict);
    assert_eq!(refusal.opened_by(), Some(winner.holder()));
}

/// Both wait for one writer in flight, and are let go at once.
#[tokio::test]
async fn two_holders_of_a_number_that_wait_for_one_writer_do_not_both_open() {
    let world = World::new().await;
    let (writer, one, two) = (
        world.client().await,
        world.client().await,
        world.client().await,
    );
    let open = writer.open(&permit("r", 1)).await;
    let tx = writer.begin(&open).await;
    let permit_one = permit("r", 2);
    let waiting_one = one.start_open(&permit_one);
    let waiting_two = two.start_open(&same_number(&permit_one));
    world.until_blocked(one.pid, writer.pid).await;
    world.until_blocked(two.pid, writer.pid).await;
    tx.commit().await.unwrap();

    let outcomes = [waiting_one.done().await, waiting_two.done().await];
    let opened = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(opened, 1, "{outcomes:?}");
    for outcome in outcomes.into_iter().filter(Result::is_err) {
        assert_eq!(outcome.must_refuse().reason(), Reason::Conflict);
    }
}

/// On a resource without a row, where there is nothing to lock yet.
#[tokio::test]
async fn of_many_holders_of_one_number_at_once_exactly_one_opens_and_writes() {
    let world = World::new().await;
    let alice = world.account("alice", 100).await;
    let winner = permit("r", 7);
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let (client, mine, alice) = (world.client().await, same_number(&winner), alice.clone());
        tasks.push(start(async move {
            let open = match client.guard.open(&mine, HOLD).await {
                Ok(open) => open,
                Err(error) => {
                    let refusal = Err::<(), _>(error).must_refuse();
                    assert_eq!(refusal.reason(), Reason::Conflict);
                    return None;
                }
            };
            client
                .ledger
                .charge(&open, &charge(&alice, 1))
                .await
                .unwrap();
            Some(mine.holder())
        }));
    }
    let mut holders = Vec::new();
    for task in tasks {
        holders.extend(task.done().await);
    }
    assert_eq!(holders.len(), 1);
    let entries = world.charges(&alice).await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].holder, Some(holders[0].as_uuid()));
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn the_second_holder_gets_in_under_a_higher_number() {
    let world = World::new().await;
    let client = world.client().await;
    let winner = permit("r", 3);
    client.open(&winner).await;
    let refusal = client
        .guard
        .open(&same_number(&winner), HOLD)
        .await
        .must_refuse();
    let reminted = permit("r", refusal.mark().get() + 1);
    let open = client.open(&reminted).await;
    assert!(open.is_takeover());
}

/// A closed number is still somebody's: its holder hears *closed*, another one *conflict*.
#[tokio::test]
async fn a_closed_number_goes_to_no_other_holder() {
    let world = World::new().await;
    let (client, mut other) = (world.client().await, world.session().await);
    let alice = world.account("alice", 5).await;
    let winner = permit("r", 3);
    let loser = same_number(&winner);
    let open = client.open(&winner).await;
    client.close(&open).await;
    assert_eq!(
        conflict_everywhere(&mut other, &loser, &alice).await,
        ["conflict"; 4]
    );
    assert!(world.charges(&alice).await.is_empty());
}

async fn conflict_everywhere(
    session: &mut Session,
    loser: &Permit,
    alice: &credit_ledger::Account,
) -> [String; 4] {
    [
        session.open(loser).await.unwrap().outcome,
        session.admit(&[loser]).await.unwrap().outcome,
        session
            .charge(loser, &charge(alice, 1))
            .await
            .unwrap()
            .outcome,
        session.close(loser).await.unwrap().outcome,
    ]
}

/// In a transaction of the first holder, the second one's permit is not among the admitted ones,
/// though its number is.
#[tokio::test]
async fn the_second_holder_cannot_ride_in_a_transaction_of_the_first() {
    let world = World::new().await;
    let mut session = world.session().await;
    let alice = world.account("alice", 5).await;
    let winner = permit("r", 3);
    session.open(&winner).await.unwrap();
    session.run("begin").await;
    assert_eq!(session.admit(&[&winner]).await.unwrap().outcome, "admitted");
    let charged = session
        .charge(&same_number(&winner), &charge(&alice, 1))
        .await;
    assert_eq!(sqlstate(charged), "ZF006");
    session.run("rollback").await;
    assert!(world.charges(&alice).await.is_empty());
}

/// What a permit hears from admission and charge, which say the same; each is a row.
async fn hears(session: &mut Session, world: &World, shown: &Permit) -> String {
    let rows = world.refusals().await.len();
    let admitted = session.admit(&[shown]).await.unwrap();
    let write = charge(&account("alice"), 1);
    let charged = session.charge(shown, &write).await.unwrap();
    assert_eq!(charged, admitted);
    for row in &world.refusals().await[rows..] {
        assert_eq!(row.reason, admitted.outcome);
        assert_eq!(row.resource, shown.resource().as_str());
        assert_eq!(row.presented_holder, shown.holder().as_uuid());
    }
    assert_eq!(world.refusals().await.len(), rows + 2);
    admitted.outcome
}

/// A permit names its resource: shown for another one, it is worth what its number is worth there, and
/// where even the number fits, the holder does not.
#[tokio::test]
async fn a_permit_of_one_resource_is_refused_for_another_one_whatever_the_number_there() {
    let world = World::new().await;
    let mut session = world.session().await;
    let alice = world.account("alice", 5).await;
    let mine = permit("r", 3);
    session.open(&mine).await.unwrap();
    for (name, mark, reason) in [
        ("never opened", None, "not open"),
        ("lower", Some(2), "not open"),
        ("same", Some(3), "conflict"),
        ("higher", Some(4), "stale"),
    ] {
        if let Some(mark) = mark {
            session.open(&permit(name, mark)).await.unwrap();
        }
        let shown = Permit::new(resource(name), mine.fence(), mine.holder());
        assert_eq!(hears(&mut session, &world, &shown).await, reason, "{name}");
    }
    assert!(world.charges(&alice).await.is_empty());
    assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
    assert!(world.findings().await.is_empty());
}

/// The number is no secret; the holder is. And once closed, the true permit is worth nothing either.
#[tokio::test]
async fn a_forged_holder_is_in_conflict_and_a_permit_that_is_replayed_after_its_close_is_closed() {
    let world = World::new().await;
    let mut session = world.session().await;
    let alice = world.account("alice", 5).await;
    let mine = permit("r", 3);
    session.open(&mine).await.unwrap();
    let forged = same_number(&mine);
    assert_eq!(hears(&mut session, &world, &forged).await, "conflict");
    session.close(&mine).await.unwrap();
    assert_eq!(hears(&mut session, &world, &mine).await, "closed");
    let forged = same_number(&mine);
    assert_eq!(hears(&mut session, &world, &forged).await, "conflict");
    assert!(world.charges(&alice).await.is_empty());
    assert!(world.findings().await.is_empty());
}
