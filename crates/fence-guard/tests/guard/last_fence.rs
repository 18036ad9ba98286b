//! The end of the numbers: 2^62 - 1 opens like any other, and nothing lies above it.

use fence_guard::{Error, Fence, Holder, Permit, Reason};
use promises::{HOLD, MustRefuse, World, permit, resource, sqlstate, stored_sqlstate};

/// A row that breaks a constraint, and one that lowers what only rises.
const REFUSED: [&str; 2] = ["23514", "ZF005"];

#[tokio::test]
async fn the_last_fence_opens_writes_and_closes_and_no_lower_one_opens_after_it() {
    let world = World::new().await;
    let client = world.client().await;
    let last = Permit::new(resource("r"), Fence::MAX, Holder::random());
    let open = client.open(&last).await;
    client.begin(&open).await.commit().await.unwrap();
    assert_eq!(world.mark("r").await, Fence::MAX.get());
    let lower = client
        .guard
        .open(&permit("r", Fence::MAX.get() - 1), HOLD)
        .await;
    let refusal = lower.must_refuse();
    assert_eq!(
        (refusal.reason(), refusal.mark_fence()),
        (Reason::Stale, Some(Fence::MAX))
    );
    client.close(&open).await;
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn a_resource_at_the_last_fence_has_no_next_one() {
    let world = World::new().await;
    let client = world.client().await;
    let last = Permit::new(resource("r"), Fence::MAX, Holder::random());
    let open = client.open(&last).await;
    client.close(&open).await;

    let minted = client
        .guard
        .open_next(last.resource(), Holder::random(), HOLD)
        .await;
    let Err(Error::Store(error)) = minted else {
        panic!("it had to be a misuse, it came to {minted:?}");
    };
    assert_eq!(stored_sqlstate(&error), "ZF004");
    assert_eq!(world.mark("r").await, Fence::MAX.get());
}

#[tokio::test]
async fn no_row_can_hold_a_mark_outside_the_range() {
    let world = World::new().await;
    let (client, mut hand) = (world.client().await, world.session().await);
    client.open(&permit("r", 1)).await;
    for statement in [
        "update fence.resource set fence = 4611686018427387904",
        "update fence.resource set fence = 9223372036854775807",
        "insert into fence.resource (resource, fence, holder, opened_seq, opened_at, valid_until, minted)
            values ('s', 0, gen_random_uuid(), 1, now(), now(), false)",
        "insert into fence.resource (resource, fence, holder, opened_seq, opened_at, valid_until, minted)
            values ('s', -9223372036854775808, gen_random_uuid(), 1, now(), now(), false)",
        "update fence.floor set fence = 0",
        "update fence.floor set fence = 4611686018427387905",
        "insert into fence.floor (only_row, fence) values (false, 2)",
    ] {
        let code = sqlstate(hand.attempt(statement).await);
        assert!(REFUSED.contains(&code.as_str()), "{statement}: {code}");
    }
    assert_eq!(world.mark("r").await, 1);
}
