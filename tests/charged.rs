//! `credit.charged`: the read before every charge. Whoever decides "not paid for" by it must have been
//! told of every charge that is meant, and of no other one: a charge that it leaves out is made again,
//! and one that it counts too much is never made.

use std::sync::Arc;

use credit_ledger::{Account, Applied, Charge, Purpose, RequestId};
use fence_guard::OpenPermit;
use promises::{Client, World, charge_of, grant_of, permit};
use time::{Duration, OffsetDateTime};

/// A world with ten credits of alice's, and an opening.
struct Paying {
    world: World,
    client: Client,
    open: Arc<OpenPermit>,
    alice: Account,
}

impl Paying {
    async fn new() -> Paying {
        let world = World::new().await;
        let client = world.client().await;
        Paying {
            open: client.open(&permit("r", 1)).await,
            alice: world.account("alice", 10).await,
            client,
            world,
        }
    }

    async fn charge(&self, account: &Account, amount: i64, purpose: &str) -> Applied {
        let charge = Charge {
            purpose: Purpose::new(purpose).unwrap(),
            ..charge_of(RequestId::random(), account, amount)
        };
        self.client.charge(&self.open, &charge).await
    }

    async fn charged(&self, account: &Account, purpose: &str, since: OffsetDateTime) -> i64 {
        let purpose = Purpose::new(purpose).unwrap();
        let ledger = self.world.ledger();
        ledger.charged(account, &purpose, since).await.unwrap()
    }
}

#[tokio::test]
async fn it_counts_from_the_moment_on_that_moment_included() {
    let here = Paying::new().await;
    let first = here.charge(&here.alice, 1, "query").await;
    let second = here.charge(&here.alice, 2, "query").await;
    for (since, credits) in [
        (OffsetDateTime::UNIX_EPOCH, 3),
        (first.at, 3),
        (first.at + Duration::MICROSECOND, 2),
        (second.at, 2),
        (second.at + Duration::MICROSECOND, 0),
    ] {
        let charged = here.charged(&here.alice, "query", since).await;
        assert_eq!(charged, credits, "since {since}");
    }
}

/// The account was granted ten credits for "query", too.
#[tokio::test]
async fn it_counts_charges_and_no_grants() {
    let here = Paying::new().await;
    let grant = grant_of(RequestId::random(), &here.alice, 5);
    assert_eq!(grant.purpose.as_str(), "query");
    here.world.ledger().grant(&grant).await.unwrap();
    let since = OffsetDateTime::UNIX_EPOCH;
    assert_eq!(here.charged(&here.alice, "query", since).await, 0);
    here.charge(&here.alice, 3, "query").await;
    assert_eq!(here.charged(&here.alice, "query", since).await, 3);
}

#[tokio::test]
async fn it_counts_the_purpose_that_was_asked_for_and_no_other() {
    let here = Paying::new().await;
    here.charge(&here.alice, 1, "query").await;
    here.charge(&here.alice, 2, "query ").await;
    here.charge(&here.alice, 4, "").await;
    let since = OffsetDateTime::UNIX_EPOCH;
    for (purpose, credits) in [("query", 1), ("query ", 2), ("", 4), ("Query", 0), ("%", 0)] {
        let charged = here.charged(&here.alice, purpose, since).await;
        assert_eq!(charged, credits, "{purpose:?}");
    }
}

#[tokio::test]
async fn it_counts_the_account_that_was_asked_for_and_no_other() {
    let here = Paying::new().await;
    let bob = here.world.account("bob", 10).await;
    here.charge(&here.alice, 1, "query").await;
    here.charge(&bob, 2, "query").await;
    let since = OffsetDateTime::UNIX_EPOCH;
    for (account, credits) in [("alice", 1), ("bob", 2), ("nobody", 0), ("spent", 0)] {
        let account = promises::account(account);
        let charged = here.charged(&account, "query", since).await;
        assert_eq!(charged, credits, "{account}");
    }
}
