//! S6: at most one entry per request id; a replay returns the first outcome, also to a holder that
//! has since gone stale.
//!
//! The race is C43: two calls with one request id at once. The first has written and not committed,
//! the second has looked and found nothing. Without the unique constraint there are two entries;
//! without the second look-up the loser hears an error, or a refusal, of something that happened.

use credit_ledger::{Applied, Error, RequestId};
use fence_guard::Reason;
use promises::{Client, MustRefuse, World, charge, charge_of, grant_of, permit, start};

/// That the second call returned the first one's outcome.
fn assert_replayed(again: Applied, first: Applied) {
    assert!(again.replayed && !first.replayed);
    assert_eq!(
        (again.seq, again.at, again.balance_after),
        (first.seq, first.at, first.balance_after)
    );
}

#[tokio::test]
async fn a_request_that_is_sent_again_returns_its_first_outcome() {
    let world = World::new().await;
    let (client, other) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);
    let first = client.charge(&open, &request).await;
    client.charge(&open, &charge(&alice, 1)).await;

    assert_replayed(client.charge(&open, &request).await, first);
    assert_replayed(other.charge(&open, &request).await, first);
    assert_eq!(world.charges(&alice).await.len(), 2);
    assert_eq!(world.balance(&alice).await, 6);
}

/// C43: the winner has written its entry and waits to commit; the loser waits for the account.
#[tokio::test]
async fn the_loser_of_two_twins_gets_the_outcome_of_the_winner() {
    let world = World::new().await;
    let (winner, loser) = (world.client().await, world.client().await);
    let alice = world.account("alice", 3).await;
    let open = winner.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);
    let mut tx = winner.begin(&open).await;
    let first = winner.ledger.charge_within(&mut tx, &open, &request).await;

    let twin = loser.start_charge(&open, &request);
    world.until_blocked(loser.pid, winner.pid).await;
    tx.commit().await.unwrap();

    // The balance is 0 by then: without the second look-up this is "insufficient credit".
    assert_replayed(twin.done().await.unwrap(), first.unwrap());
    assert_eq!(world.charges(&alice).await.len(), 1);
    assert!(world.refusals().await.is_empty());
}

/// The same with credit left: here only the unique constraint stops the second entry.
#[tokio::test]
async fn the_loser_of_two_twins_does_not_charge_a_second_time() {
    let world = World::new().await;
    let (winner, loser) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let open = winner.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);
    let mut tx = winner.begin(&open).await;
    let first = winner.ledger.charge_within(&mut tx, &open, &request).await;
    let twin = loser.start_charge(&open, &request);
    world.until_blocked(loser.pid, winner.pid).await;
    tx.commit().await.unwrap();
    assert_replayed(twin.done().await.unwrap(), first.unwrap());
    assert_eq!(world.balance(&alice).await, 7);
}

#[tokio::test]
async fn the_second_twin_charges_when_the_first_is_rolled_back() {
    let world = World::new().await;
    let (first, second) = (world.client().await, world.client().await);
    let alice = world.account("alice", 3).await;
    let open = first.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);
    let mut tx = first.begin(&open).await;
    let undone = first.ledger.charge_within(&mut tx, &open, &request).await;
    undone.unwrap();

    let twin = second.start_charge(&open, &request);
    world.until_blocked(second.pid, first.pid).await;
    tx.rollback().await.unwrap();
    assert!(!twin.done().await.unwrap().replayed);
    assert_eq!(world.balance(&alice).await, 0);
}

#[tokio::test]
async fn of_many_twins_at_once_exactly_one_charges_and_all_hear_the_same() {
    let world = World::new().await;
    let alice = world.account("alice", 100).await;
    let first = world.client().await;
    let open = first.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);
    let mut tasks = Vec::new();
    for _ in 0..10 {
        let client = world.client().await;
        tasks.push(client.start_charge(&open, &request));
    }
    let mut applied = Vec::new();
    for task in tasks {
        applied.push(task.done().await.unwrap());
    }
    assert_eq!(applied.iter().filter(|one| !one.replayed).count(), 1);
    assert!(applied.iter().all(|one| one.seq == applied[0].seq));
    assert_eq!(world.balance(&alice).await, 97);
}

/// Grants have no guard; the request id alone keeps them from happening twice.
#[tokio::test]
async fn of_two_grants_with_one_request_one_is_a_replay() {
    let world = World::new().await;
    let (first, second) = (world.client().await, world.client().await);
    let mut blocker = world.session().await;
    let alice = world.account("alice", 0).await;
    let grant = grant_of(RequestId::random(), &alice, 5);
    blocker.hold_account(&alice).await;
    let start_grant = |client: &Client| {
        let (ledger, grant) = (client.ledger.clone(), grant.clone());
        start(async move { ledger.grant(&grant).await.unwrap() })
    };
    let (one, two) = (start_grant(&first), start_grant(&second));
    // Both have looked the request up, and found nothing. Whoever comes second queues behind the first.
    let ahead = [blocker.pid, first.pid, second.pid];
    assert!(world.blocked_or(first.pid, &ahead, || false).await);
    assert!(world.blocked_or(second.pid, &ahead, || false).await);
    blocker.run("rollback").await;
    let (one, two) = (one.done().await, two.done().await);
    assert_ne!(one.replayed, two.replayed);
    assert_eq!(one.seq, two.seq);
    assert_eq!(world.balance(&alice).await, 5);
}

/// C44: each field of a request is part of it.
#[tokio::test]
async fn a_request_id_that_is_used_for_something_else_names_what_differs() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let bob = world.account("bob", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let elsewhere = client.open(&permit("elsewhere", 1)).await;
    let first = charge(&alice, 3);
    client.charge(&open, &first).await;

    let mut purpose = first.clone();
    purpose.purpose = credit_ledger::Purpose::new("another query").unwrap();
    for (other, open, field) in [
        (charge_of(first.request, &bob, 3), &open, "account"),
        (charge_of(first.request, &alice, 4), &open, "amount"),
        (purpose, &open, "purpose"),
        (first.clone(), &elsewhere, "resource"),
        // The first difference in this order is named.
        (charge_of(first.request, &bob, 4), &elsewhere, "account"),
    ] {
        match client.ledger.charge(open, &other).await {
            Err(Error::Mismatch { field: named }) => assert_eq!(named, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    let granted = client
        .ledger
        .grant(&grant_of(first.request, &alice, 3))
        .await;
    assert!(matches!(granted, Err(Error::Mismatch { field }) if field == "operation"));
    assert_eq!(world.balance(&alice).await, 7);
    assert_eq!(world.balance(&bob).await, 10);
    assert!(world.refusals().await.is_empty());
}

/// The same, where the loser looked before the winner had committed.
#[tokio::test]
async fn a_twin_that_asks_for_something_else_hears_what_differs_after_its_wait() {
    let world = World::new().await;
    let (winner, loser) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let open = winner.open(&permit("r", 1)).await;
    let first = charge(&alice, 3);
    let mut tx = winner.begin(&open).await;
    let charged = winner.ledger.charge_within(&mut tx, &open, &first).await;
    charged.unwrap();
    let twin = loser.start_charge(&open, &charge_of(first.request, &alice, 4));
    world.until_blocked(loser.pid, winner.pid).await;
    tx.commit().await.unwrap();
    assert!(matches!(twin.done().await, Err(Error::Mismatch { field }) if field == "amount"));
    assert_eq!(world.balance(&alice).await, 7);
}

#[tokio::test]
async fn a_replay_is_answered_also_to_a_holder_that_has_gone_stale() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let open = old.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);
    let first = old.charge(&open, &request).await;
    let successor = new.open(&permit("r", 2)).await;
    new.close(&successor).await;

    assert_replayed(old.charge(&open, &request).await, first);
    // A new request of the same holder is refused.
    let fresh = old.ledger.charge(&open, &charge(&alice, 3)).await;
    assert_eq!(fresh.must_refuse().reason(), Reason::Stale);
}

/// C47: the worker was killed, its job is run again under a new lease; one of them bills.
#[tokio::test]
async fn a_job_that_is_run_again_by_another_holder_is_paid_for_once() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let job = charge(&alice, 3);
    let open = old.open(&permit("r", 1)).await;
    let first = old.charge(&open, &job).await;
    let successor = new.open(&permit("r", 2)).await;
    assert_replayed(new.charge(&successor, &job).await, first);
    assert_eq!(world.balance(&alice).await, 7);
}

/// The twin commits while the other one waits for the resource as a holder that goes stale: a
/// successor's opening stands between them. What has happened comes before why it may not happen.
#[tokio::test]
async fn a_twin_that_went_stale_while_it_waited_hears_that_it_was_applied() {
    let world = World::new().await;
    let (winner, loser, successor) = (
        world.client().await,
        world.client().await,
        world.client().await,
    );
    let alice = world.account("alice", 10).await;
    let open = winner.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);
    let mut tx = winner.begin(&open).await;
    let first = winner.ledger.charge_within(&mut tx, &open, &request).await;
    let opening = successor.start_open(&permit("r", 2));
    world.until_blocked(successor.pid, winner.pid).await;
    let twin = loser.start_charge(&open, &request);
    world.until_blocked(loser.pid, successor.pid).await;
    tx.commit().await.unwrap();

    opening.done().await.unwrap();
    assert_replayed(twin.done().await.unwrap(), first.unwrap());
    assert!(world.refusals().await.is_empty());
}

#[tokio::test]
async fn a_refused_request_may_be_sent_again_by_the_successor() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let open = old.open(&permit("r", 1)).await;
    let successor = new.open(&permit("r", 2)).await;
    let request = charge(&alice, 3);
    old.ledger.charge(&open, &request).await.must_refuse();
    assert!(!new.charge(&successor, &request).await.replayed);
    assert_eq!(world.balance(&alice).await, 7);
}

#[tokio::test]
async fn a_request_without_credit_or_account_may_be_sent_again_when_they_are_there() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    let alice = promises::account("alice");
    let request = charge(&alice, 3);
    let unknown = client.ledger.charge(&open, &request).await;
    assert!(matches!(unknown, Err(Error::UnknownAccount)));
    world.account("alice", 2).await;
    let poor = client.ledger.charge(&open, &request).await;
    assert!(matches!(
        poor,
        Err(Error::InsufficientCredit { balance: 2, .. })
    ));
    let grant = grant_of(RequestId::random(), &alice, 1);
    client.ledger.grant(&grant).await.unwrap();
    assert!(!client.charge(&open, &request).await.replayed);
    assert_eq!(world.balance(&alice).await, 0);
}

/// C45: an id that is built from account and amount would swallow the second of these.
#[tokio::test]
async fn two_requests_that_look_alike_are_two_charges() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let (one, two) = (charge(&alice, 3), charge(&alice, 3));
    assert_ne!(one.request, two.request);
    client.charge(&open, &one).await;
    assert!(!client.charge(&open, &two).await.replayed);
    assert_eq!(world.charges(&alice).await.len(), 2);
    assert_eq!(world.balance(&alice).await, 4);
}

/// C46: the charge was sent, its caller is gone before the reply. It is applied all the same, and
/// whoever asks again with the same id is told so.
#[tokio::test]
async fn a_charge_whose_reply_was_lost_is_found_by_sending_it_again() {
    let world = World::new().await;
    let (lost, again) = (world.client().await, world.client().await);
    let mut blocker = world.session().await;
    let alice = world.account("alice", 10).await;
    let open = lost.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);

    blocker.hold_account(&alice).await;
    let sent = lost.start_charge(&open, &request);
    world.until_blocked(lost.pid, blocker.pid).await;
    sent.cancel().await;
    // The second call waits behind the first one, which nobody waits for any more.
    let retry = again.start_charge(&open, &request);
    world.until_blocked(again.pid, lost.pid).await;
    blocker.run("rollback").await;

    let applied = retry.done().await.unwrap();
    assert!(applied.replayed);
    assert_eq!(applied.balance_after, 7);
    assert_eq!(world.charges(&alice).await.len(), 1);
}

/// C46 with a killed connection: the typed error says *unknown*, not *failed*.
#[tokio::test]
async fn a_charge_whose_connection_broke_is_unknown_until_it_is_sent_again() {
    let world = World::new().await;
    let (cut, again) = (world.client().await, world.client().await);
    let mut blocker = world.session().await;
    let alice = world.account("alice", 10).await;
    let open = cut.open(&permit("r", 1)).await;
    let request = charge(&alice, 3);

    blocker.hold_account(&alice).await;
    let sent = cut.start_charge(&open, &request);
    world.until_blocked(cut.pid, blocker.pid).await;
    sqlx::query("select pg_terminate_backend($1)")
        .bind(cut.pid)
        .execute(world.pool())
        .await
        .unwrap();
    let unknown = sent.done().await;
    let is_unknown = matches!(
        unknown,
        Err(Error::Store(credit_ledger::StoreError::Unknown(_)))
    );
    assert!(is_unknown, "{unknown:?}");
    blocker.run("rollback").await;

    // This time it had not been applied.
    assert!(!again.charge(&open, &request).await.replayed);
    assert_eq!(world.balance(&alice).await, 7);
}
