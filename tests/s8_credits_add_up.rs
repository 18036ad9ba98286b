//! S8: the sum of all credits is 0, a balance is the sum of its account's entries, and no account
//! is below its floor.
//!
//! The race is C40: N requests read a balance that covers one of them, and each charges. The first
//! to lock the account's row moves; the others wait, and judge by what the row holds when they get
//! it. Without that second look all of them pass.

use credit_ledger::{Account, Applied, Error, Filter, RequestId};
use promises::{Client, World, account, charge, charge_of, grant_of, permit, sqlstate, start};

/// A client with the resource `r` open.
async fn opened(world: &World) -> (Client, std::sync::Arc<fence_guard::OpenPermit>) {
    let client = world.client().await;
    let open = client.open(&permit("r", 1)).await;
    (client, open)
}

/// C40: all of them wait for the account, having been admitted, and are let go at once.
#[tokio::test]
async fn of_many_charges_that_wait_for_one_balance_only_the_covered_ones_pass() {
    let world = World::new().await;
    let (_, open) = opened(&world).await;
    let mut blocker = world.session().await;
    let alice = world.account("alice", 10).await;
    blocker.hold_account(&alice).await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        clients.push(world.client().await);
    }
    let mut ahead: Vec<i32> = clients.iter().map(|client| client.pid).collect();
    ahead.push(blocker.pid);
    let mut waiting = Vec::new();
    for client in &clients {
        waiting.push(client.start_charge(&open, &charge(&alice, 3)));
        assert!(world.blocked_or(client.pid, &ahead, || false).await);
    }
    blocker.run("rollback").await;

    let mut passed = 0;
    for one in waiting {
        match one.done().await {
            Ok(_) => passed += 1,
            Err(Error::InsufficientCredit { balance, .. }) => assert_eq!(balance, 1),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(passed, 3);
    assert_eq!(world.balance(&alice).await, 1);
    assert!(world.findings().await.is_empty());
}

/// C40 and C41 without anybody in the way: grants and charges of many clients on two accounts,
/// under many resources. No credit is lost, and each entry continues the one before it.
#[tokio::test]
async fn concurrent_grants_and_charges_lose_no_credit() {
    let world = World::new().await;
    let accounts = [world.account("a", 20).await, world.account("b", 20).await];
    let mut tasks = Vec::new();
    for task in 0..8_u64 {
        let (client, accounts) = (world.client().await, accounts.clone());
        tasks.push(start(async move {
            let open = client.open(&permit(&format!("resource {task}"), 1)).await;
            let mut change = [0, 0];
            for step in 0..20 {
                let to = (task as usize + step) % 2;
                if step % 4 == 0 {
                    let grant = grant_of(RequestId::random(), &accounts[to], 1);
                    client.ledger.grant(&grant).await.unwrap();
                    change[to] += 1;
                    continue;
                }
                match client.ledger.charge(&open, &charge(&accounts[to], 2)).await {
                    Ok(_) => change[to] -= 2,
                    Err(Error::InsufficientCredit { balance, .. }) => assert!(balance < 2),
                    Err(other) => panic!("{other:?}"),
                }
            }
            change
        }));
    }
    let mut expected = [20, 20];
    for task in tasks {
        let change = task.done().await;
        expected = [expected[0] + change[0], expected[1] + change[1]];
    }
    let balances = [
        world.balance(&accounts[0]).await,
        world.balance(&accounts[1]).await,
    ];
    assert_eq!(balances, expected);
    assert!(
        balances.iter().all(|&balance| (0..2).contains(&balance)),
        "{balances:?}"
    );
    assert_eq!(sum_of_all_credits(&world).await, 0);
    assert!(world.findings().await.is_empty());
}

/// Over all accounts, the system's included; no row moves credits of one side only.
async fn sum_of_all_credits(world: &World) -> i64 {
    sqlx::query_scalar(
        "select sum(moved)::bigint from (
            select account, change as moved from credit.entry
            union all select counterpart, -change from credit.entry) both_sides",
    )
    .fetch_one(world.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn credits_leave_the_system_and_come_back_to_it() {
    let world = World::new().await;
    let (client, open) = opened(&world).await;
    let alice = world.account("alice", 10).await;
    client.charge(&open, &charge(&alice, 4)).await;
    let both_sides: Vec<(String, i64)> = sqlx::query_as(
        "select a.name, sum(case a.id when e.account then e.change else -e.change end)::bigint
         from credit.account a join credit.entry e on a.id in (e.account, e.counterpart)
         group by a.name order by a.name",
    )
    .fetch_all(world.pool())
    .await
    .unwrap();
    let expected = [("alice", 6), ("issued", -10), ("spent", 4)];
    assert_eq!(
        both_sides,
        expected.map(|(name, sum)| (name.to_owned(), sum))
    );
}

#[tokio::test]
async fn a_charge_of_the_whole_balance_passes_and_one_credit_more_does_not() {
    let world = World::new().await;
    let (client, open) = opened(&world).await;
    let alice = world.account("alice", 10).await;
    let more = client.ledger.charge(&open, &charge(&alice, 11)).await;
    assert!(matches!(
        more,
        Err(Error::InsufficientCredit { balance: 10, .. })
    ));
    assert_eq!(
        client
            .charge(&open, &charge(&alice, 10))
            .await
            .balance_after,
        0
    );
    let one = client.ledger.charge(&open, &charge(&alice, 1)).await;
    assert!(matches!(
        one,
        Err(Error::InsufficientCredit { balance: 0, .. })
    ));
}

/// A floor below zero is a credit line; it ends exactly there.
#[tokio::test]
async fn an_account_goes_down_to_its_floor_and_no_further() {
    let world = World::new().await;
    let (client, open) = opened(&world).await;
    let alice = world.account("alice", 0).await;
    sqlx::query("update credit.account set floor = -5 where name = 'alice'")
        .execute(world.pool())
        .await
        .unwrap();
    let more = client.ledger.charge(&open, &charge(&alice, 6)).await;
    assert!(matches!(
        more,
        Err(Error::InsufficientCredit { balance: 0, .. })
    ));
    assert_eq!(
        client.charge(&open, &charge(&alice, 5)).await.balance_after,
        -5
    );
    // The amount at the other end of its range, on a balance below zero.
    let most = client.ledger.charge(&open, &charge(&alice, i64::MAX)).await;
    assert!(matches!(
        most,
        Err(Error::InsufficientCredit { balance: -5, .. })
    ));
    assert!(world.findings().await.is_empty());
}

/// C48: the largest amount, and one credit more than fits.
#[tokio::test]
async fn the_largest_balance_is_granted_and_charged_and_not_exceeded() {
    let world = World::new().await;
    let (client, open) = opened(&world).await;
    let alice = world.account("alice", 0).await;
    let grant = |amount| grant_of(RequestId::random(), &alice, amount);
    client.ledger.grant(&grant(i64::MAX)).await.unwrap();
    for amount in [1, i64::MAX] {
        let over = client.ledger.grant(&grant(amount)).await;
        assert!(matches!(
            over,
            Err(Error::BalanceOverflow { balance: i64::MAX })
        ));
    }
    let all: Applied = client.charge(&open, &charge(&alice, i64::MAX)).await;
    assert_eq!(all.balance_after, 0);
    let one = client.ledger.charge(&open, &charge(&alice, 1)).await;
    assert!(matches!(
        one,
        Err(Error::InsufficientCredit { balance: 0, .. })
    ));
    // The account has moved twice the range by now; the audit still adds it up.
    client.ledger.grant(&grant(i64::MAX)).await.unwrap();
    client.charge(&open, &charge(&alice, i64::MAX)).await;
    assert!(world.findings().await.is_empty());
}

/// C48 below the typed API, where an amount is any bigint. Nothing is written, not even a refusal.
#[tokio::test]
async fn an_amount_below_one_is_no_request() {
    let world = World::new().await;
    let mut session = world.session().await;
    world.account("alice", 10).await;
    for amount in ["0", "-1", "-9223372036854775808", "null"] {
        for call in [
            "grant(gen_random_uuid(),",
            "charge('r', 1, gen_random_uuid(), gen_random_uuid(),",
        ] {
            let call = format!("select credit.{call} 'alice', {amount}, '')");
            let refused = session.attempt(sqlx::AssertSqlSafe(call.clone())).await;
            assert_eq!(sqlstate(refused), "ZF004", "{call}");
        }
    }
    assert_eq!(world.balance(&account("alice")).await, 10);
    assert!(world.refusals().await.is_empty());
}

#[tokio::test]
async fn an_account_that_is_not_there_or_is_the_systems_own_cannot_be_charged() {
    let world = World::new().await;
    let (client, open) = opened(&world).await;
    for name in ["nobody", "issued", "spent", "Alice", "alice "] {
        world.account("alice", 10).await;
        let charged = client
            .ledger
            .charge(&open, &charge(&account(name), 1))
            .await;
        assert!(
            matches!(charged, Err(Error::UnknownAccount)),
            "{name:?}: {charged:?}"
        );
    }
}

/// C48: names are data wherever they go: into the account, an entry, the row of a refusal.
#[tokio::test]
async fn hostile_account_names_come_back_as_they_were() {
    let world = World::new().await;
    let (client, open) = opened(&world).await;
    let longest = "é".repeat(256);
    let names = [
        "o'brien",
        "\"quoted\"",
        "'; drop table credit.entry; --",
        "\\'\\\\ $1 %s {} $$",
        "null",
        "ünïcødé 漢字 🦀 \u{202e}right-to-left",
        "cafe\u{301}",
        "caf\u{e9}",
        &longest,
    ];
    for name in names {
        let alice = world.account(name, 5).await;
        let applied = client.charge(&open, &charge(&alice, 2)).await;
        assert_eq!(applied.balance_after, 3, "{name:?}");
        assert_eq!(world.balance(&alice).await, 3, "{name:?}");
        assert_eq!(world.charges(&alice).await.len(), 1, "{name:?}");
    }
    client.close(&open).await;
    for name in names {
        let refused = client
            .ledger
            .charge(&open, &charge(&account(name), 1))
            .await;
        assert!(matches!(refused, Err(Error::Refused(_))), "{name:?}");
    }
    let refused = client
        .ledger
        .refusals(Filter::all(), None, 0, 100)
        .await
        .unwrap();
    let kept: Vec<&str> = refused.iter().map(|write| write.account.as_str()).collect();
    assert_eq!(kept, names);
    assert!(world.findings().await.is_empty());
}

/// Ten charges of one account, each in a transaction of its own resource, so that only the
/// account's row orders them. C41 locked the newest row of the ledger instead, which had moved.
#[tokio::test]
async fn each_charge_continues_the_balance_that_the_one_before_it_left() {
    let world = World::new().await;
    let alice: Account = world.account("alice", 55).await;
    let mut tasks = Vec::new();
    for amount in 1..=10 {
        let (client, alice) = (world.client().await, alice.clone());
        let request = charge_of(RequestId::random(), &alice, amount);
        tasks.push(start(async move {
            let open = client.open(&permit(&format!("resource {amount}"), 1)).await;
            client.charge(&open, &request).await
        }));
    }
    for task in tasks {
        task.done().await;
    }
    let mut balance = 55;
    for entry in world.charges(&alice).await {
        balance += entry.change;
        assert_eq!(entry.balance_after, balance);
    }
    assert_eq!(balance, 0);
}
