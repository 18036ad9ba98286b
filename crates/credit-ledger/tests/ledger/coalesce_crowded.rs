//! The batching front when it is full, when callers give up, and when accounts stay locked: nobody is forgotten, nobody
//! passes another of its account, and nobody waits without a bound.

use std::sync::Arc;
use std::task::Poll;

use credit_ledger::{
    Account, Applied, Charge, CoalesceOptions, Coalescer, Error, Ledger, StoreError,
};
use fence_guard::OpenPermit;
use promises::{BLOCKED_WITHIN, LOOK_EVERY, Session, Started, World, charge, permit, within};

use sqlx::ConnectOptions;
use sqlx::postgres::PgPoolOptions;
use testbed::Proxy;

use crate::coalesce::{charge_at_once, front, until_somebody_waits};
use crate::coalesce_apart::send;

/// Keeps whatever is sent together in flight until it commits.
async fn hold_entries(world: &World) -> Session {
    let mut holder = world.session().await;
    let lock = "begin; lock table credit.entry in share mode";
    holder.run(lock).await;
    holder
}

/// Returns once the front says so of itself.
async fn until(front: &Coalescer, what: impl Fn(&Coalescer) -> bool) {
    let looked = async {
        while !what(front) {
            tokio::task::yield_now().await;
        }
    };
    let told = tokio::time::timeout(BLOCKED_WITHIN, looked).await;
    told.unwrap_or_else(|_| panic!("{:?}", front.figures()));
}

/// A call that has begun, and has not come through.
async fn begin<F: Future + Unpin>(call: &mut F) {
    let begun =
        std::future::poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *call).poll(context)));
    assert!(begun.await.is_pending());
}

type Sent = Started<Result<Applied, Error>>;

async fn all_applied(charges: Vec<Sent>) {
    for charge in charges {
        charge.done().await.unwrap();
    }
}

#[tokio::test]
async fn a_charge_behind_many_whose_callers_have_gone_is_not_forgotten() {
    let world = World::new().await;
    let client = world.client().await;
    let (alice, carol) = (
        world.account("alice", 10).await,
        world.account("carol", 10).await,
    );
    let open = client.open(&permit("r", 1)).await;
    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    let mut holder = hold_entries(&world).await;
    let in_flight = send(&front, &open, &charge(&alice, 1));
    until_somebody_waits(&world, holder.pid).await;
    let gone: Vec<Sent> = (0..64)
        .map(|_| send(&front, &open, &charge(&alice, 1)))
        .collect();
    until(&front, |front| front.figures().ready == 64).await;
    let live = send(&front, &open, &charge(&carol, 1));
    until(&front, |front| front.figures().ready == 65).await;
    for charge in gone {
        charge.cancel().await;
    }
    // Their room is free at once, though what is in flight is not back yet.
    until(&front, |front| front.figures().ready == 1).await;
    holder.run("commit").await;
    in_flight.done().await.unwrap();
    assert_eq!(live.done().await.unwrap().balance_after, 9);
    assert_eq!(world.balance(&alice).await, 9);
}

#[tokio::test]
async fn callers_of_one_account_that_wait_for_room_come_in_the_order_of_their_calls() {
    let world = World::new().await;
    let client = world.client().await;
    let (alice, bob) = (
        world.account("alice", 10).await,
        world.account("bob", 10).await,
    );
    let open = client.open(&permit("r", 1)).await;
    let options = CoalesceOptions::default().with_capacity(2);
    let (front, _pool) = front(&world, options).await;
    let mut holder = hold_entries(&world).await;
    let mut full = vec![send(&front, &open, &charge(&bob, 1))];
    until_somebody_waits(&world, holder.pid).await;
    full.push(send(&front, &open, &charge(&bob, 1)));
    until(&front, |front| front.figures().ready == 1).await;

    let (seven, five) = (charge(&alice, 7), charge(&alice, 5));
    let mut first = Box::pin(front.charge(&open, &seven));
    begin(&mut first).await;
    holder.run("commit").await;
    all_applied(full).await;
    // Room is there, and the first has not been polled since: the second must not take it.
    let mut second = Box::pin(front.charge(&open, &five));
    begin(&mut second).await;
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.unwrap().balance_after, 3);
    assert!(
        matches!(second, Err(Error::InsufficientCredit { balance: 3, .. })),
        "{second:?}"
    );
}

#[tokio::test]
async fn charges_of_one_account_keep_their_order_also_where_the_first_one_s_resource_is_locked() {
    let world = World::new().await;
    let client = world.client().await;
    let mut rider = world.session().await;
    let alice = world.account("alice", 10).await;
    world.account("other", 10).await;
    let (r, s) = (
        client.open(&permit("r", 1)).await,
        client.open(&permit("s", 1)).await,
    );
    let (front, pool) = front(&world, CoalesceOptions::default()).await;
    // A call that rides in the opening of r has its row for itself.
    let holder = r.permit().holder().as_uuid();
    let ride = "select credit.charge_once('r', 1, $1, gen_random_uuid(), 'other', 1, 'ride')";
    rider.run("begin").await;
    sqlx::query(ride)
        .bind(holder)
        .execute(&mut rider.connection)
        .await
        .unwrap();
    let (seven, five) = (charge(&alice, 7), charge(&alice, 5));
    let (outcomes, ()) = tokio::join!(
        charge_at_once(&front, &pool, [(&*r, &seven), (&*s, &five)]),
        async {
            until_somebody_waits(&world, rider.pid).await;
            rider.run("commit").await;
        }
    );
    assert_eq!(outcomes[0].as_ref().unwrap().balance_after, 3);
    assert!(
        matches!(
            outcomes[1],
            Err(Error::InsufficientCredit { balance: 3, .. })
        ),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn a_locked_account_takes_its_part_of_the_room_and_no_more() {
    let world = World::new().await;
    let client = world.client().await;
    let mut holder = world.session().await;
    let (alice, bob) = (
        world.account("alice", 10).await,
        world.account("bob", 10).await,
    );
    let open = client.open(&permit("r", 1)).await;
    let options = CoalesceOptions::default()
        .with_capacity(4)
        .with_room_of_an_account(3);
    let (front, _pool) = front(&world, options).await;
    holder.hold_account(&alice).await;
    let alices: Vec<Sent> = (0..8)
        .map(|_| send(&front, &open, &charge(&alice, 1)))
        .collect();
    until(&front, |front| {
        front.figures().in_lanes == 2 && front.figures().alone == 1
    })
    .await;
    let bobs = charge(&bob, 1);
    within("a charge of another account", front.charge(&open, &bobs))
        .await
        .unwrap();
    holder.run("rollback").await;
    all_applied(alices).await;
    assert_eq!(world.balance(&alice).await, 2);
}

#[tokio::test]
async fn a_caller_that_goes_while_its_charge_waits_behind_another_has_charged_nothing() {
    let world = World::new().await;
    let client = world.client().await;
    let mut holder = world.session().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let (front, _pool) = front(&world, CoalesceOptions::default()).await;
    holder.hold_account(&alice).await;
    let first = send(&front, &open, &charge(&alice, 1));
    until_somebody_waits(&world, holder.pid).await;
    let second = send(&front, &open, &charge(&alice, 2));
    until(&front, |front| front.figures().in_lanes == 1).await;
    second.cancel().await;
    until(&front, |front| front.figures().in_lanes == 0).await;
    holder.run("rollback").await;
    assert_eq!(first.done().await.unwrap().balance_after, 9);
    within("the end", front.finish()).await;
    assert_eq!(world.balance(&alice).await, 9);
}

/// S10. The first waits for the lock for ten seconds; those behind it have waited as long by then.
#[tokio::test]
async fn charges_behind_one_that_does_not_get_its_lock_are_given_up_with_it_and_none_was_sent() {
    let world = World::new().await;
    let client = world.client().await;
    let mut holder = world.session().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let (front, pool) = front(&world, CoalesceOptions::default()).await;
    holder.hold_account(&alice).await;
    let charges = [1, 2, 3].map(|amount| charge(&alice, amount));
    let sent = charge_at_once(&front, &pool, charges.iter().map(|charge| (&*open, charge)));
    let outcomes = within("charges of an account that stays locked", sent).await;
    assert!(matches!(outcomes[0], Err(Error::Store(_))), "{outcomes:?}");
    for outcome in &outcomes[1..] {
        assert!(matches!(outcome, Err(Error::Overdue)), "{outcomes:?}");
    }
    holder.run("rollback").await;
    assert_eq!(world.balance(&alice).await, 10);
    assert_eq!(
        front
            .charge(&open, &charges[2])
            .await
            .unwrap()
            .balance_after,
        7
    );
}

/// Room was handed to a caller that is not polled before the end has been called for.
#[tokio::test]
async fn a_front_finishes_also_while_room_is_handed_over() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let open = client.open(&permit("r", 1)).await;
    let options = CoalesceOptions::default().with_capacity(1);
    let (front, _pool) = front(&world, options).await;
    let mut holder = hold_entries(&world).await;
    let first = send(&front, &open, &charge(&alice, 1));
    until_somebody_waits(&world, holder.pid).await;
    let one = charge(&alice, 1);
    let mut second = Box::pin(front.charge(&open, &one));
    begin(&mut second).await;
    holder.run("commit").await;
    first.done().await.unwrap();
    within("the end", front.finish()).await;
    let outcome = second.await;
    assert!(matches!(outcome, Err(Error::Finished)), "{outcome:?}");
}

/// An account may go far below zero, and its room is then more than a bigint holds.
#[tokio::test]
async fn an_account_at_the_edge_of_its_numbers_parts_nobody_from_the_others() {
    let world = World::new().await;
    let client = world.client().await;
    let open: Arc<OpenPermit> = client.open(&permit("r", 1)).await;
    let (rich, bob) = (
        world.account("rich", 10).await,
        world.account("bob", 10).await,
    );
    let set = "select credit.set_floor('rich', -9223372036854775808)";
    sqlx::query(set).execute(world.pool()).await.unwrap();
    let (front, pool) = front(&world, CoalesceOptions::default()).await;
    let charges: [Charge; 2] = [charge(&rich, i64::MAX), charge(&bob, 1)];
    let outcomes =
        charge_at_once(&front, &pool, charges.iter().map(|charge| (&*open, charge))).await;
    assert_eq!(outcomes[0].as_ref().unwrap().balance_after, 10 - i64::MAX);
    assert_eq!(outcomes[1].as_ref().unwrap().balance_after, 9);
    assert_eq!(front.figures().sent_alone, 0, "{:?}", front.figures());
}

/// What goes alone leaves a connection for what goes together.
#[tokio::test]
async fn a_charge_that_can_be_made_is_made_while_more_accounts_are_locked_than_there_are_connections()
 {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    let pool = PgPoolOptions::new().max_connections(2);
    let target = (*world.pool().connect_options()).clone();
    let pool = pool.connect_with(target).await.unwrap();
    let front = Ledger::new(pool).coalescer(CoalesceOptions::default());
    let (mut holders, mut locked) = (Vec::new(), Vec::new());
    for name in ["one", "two"] {
        let account = world.account(name, 10).await;
        let mut holder = world.session().await;
        holder.hold_account(&account).await;
        locked.push(send(&front, &open, &charge(&account, 1)));
        holders.push(holder);
    }
    until(&front, |front| {
        front.figures().alone == 1 && front.figures().in_lanes == 1
    })
    .await;
    let bob = world.account("bob", 10).await;
    let bobs = charge(&bob, 1);
    within("a charge of a free account", front.charge(&open, &bobs))
        .await
        .unwrap();
    for holder in &mut holders {
        holder.run("rollback").await;
    }
    all_applied(locked).await;
}

/// C46: the common call was committed, its reply lost, and then nobody could be asked.
#[tokio::test]
async fn a_charge_that_a_lost_common_call_may_have_made_is_unknown_and_never_failed() {
    let world = World::new().await;
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    let alice = world.account("alice", 10).await;
    let url = world.pool().connect_options().to_url_lossy().to_string();
    let proxy = Proxy::to(&url).await;
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .test_before_acquire(false);
    let pool = pool.connect(&proxy.url(&url)).await.unwrap();
    let front = Ledger::new(pool.clone()).coalescer(CoalesceOptions::default());
    front.charge(&open, &charge(&alice, 1)).await.unwrap();
    // Its connection comes back to the pool after the answer has come to us.
    let is_back = async {
        while pool.num_idle() == 0 {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    within("a connection comes back", is_back).await;
    proxy.hold_replies();
    let lost = charge(&alice, 3);
    let sent = send(&front, &open, &lost);
    proxy.kept_back().await;
    until_balance(&world, &alice, 6).await;
    proxy.close();
    let outcome = sent.done().await;
    assert!(
        matches!(outcome, Err(Error::Store(StoreError::Unknown(_)))),
        "{outcome:?}"
    );
    assert!(world.ledger().charge(&open, &lost).await.unwrap().replayed);
}

/// Returns once the account stands so.
async fn until_balance(world: &World, account: &Account, balance: i64) {
    let looked = async {
        while world.balance(account).await != balance {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    within("a charge is committed", looked).await;
}
