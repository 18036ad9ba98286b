//! What the guard does not let pass, whoever calls: an older snapshot, an admission that does not
//! come first, a permit that was not admitted, a forged setting. Each raises an error of class `ZF`
//! and writes nothing: what was written before it in the transaction must not commit either.

use credit_ledger::{Error, RequestId};
use fence_guard::Permit;
use promises::{
    Session, World, account, charge, grant_of, permit, sqlstate, stored_sqlstate, within,
};

/// A world, a session that has opened `r` under 2, and a permit that is stale there.
async fn opened() -> (World, Session, Permit, Permit) {
    let world = World::new().await;
    let mut session = world.session().await;
    world.account("alice", 10).await;
    let mine = permit("r", 2);
    session.open(&mine).await.unwrap();
    (world, session, mine, permit("r", 1))
}

/// That nothing was written: no entry, no refusal, no new opening.
async fn assert_untouched(world: &World) {
    assert!(world.charges(&account("alice")).await.is_empty());
    assert_eq!(world.balance(&account("alice")).await, 10);
    assert!(world.refusals().await.is_empty());
    assert_eq!(world.openings("r").await.len(), 1);
}

/// Under an older snapshot the guard would not see the mark that overtook its caller.
#[tokio::test]
async fn every_guarded_call_raises_outside_read_committed() {
    let (world, mut session, mine, _) = opened().await;
    for level in ["repeatable read", "serializable"] {
        let begin = format!("begin isolation level {level}");
        for call in ["open", "admit", "charge", "grant", "close"] {
            session.run(sqlx::AssertSqlSafe(begin.clone())).await;
            let raised = match call {
                "open" => session.open(&permit("r", 3)).await.map(drop),
                "admit" => session.admit(&[&mine]).await.map(drop),
                "charge" => {
                    let charge = charge(&account("alice"), 1);
                    session.charge(&mine, &charge).await.map(drop)
                }
                "grant" => {
                    let grant = "select credit.grant(gen_random_uuid(), 'alice', 1, '')";
                    session.attempt(grant).await
                }
                _ => session.close(&mine).await.map(drop),
            };
            assert_eq!(sqlstate(raised), "ZF001", "{call} under {level}");
            session.run("rollback").await;
        }
    }
    assert_untouched(&world).await;
    // The opening is still mine, and not closed.
    assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
}

/// The typed clients on a pool whose transactions are serializable by default.
#[tokio::test]
async fn the_typed_clients_say_that_the_isolation_level_is_a_misuse() {
    let (world, _session, mine, _) = opened().await;
    let client = world.client().await;
    sqlx::query("set default_transaction_isolation = 'serializable'")
        .execute(client.guard.pool())
        .await
        .unwrap();
    match client.guard.open(&mine, promises::HOLD).await {
        Err(fence_guard::Error::Store(error)) => assert_eq!(stored_sqlstate(&error), "ZF001"),
        other => panic!("{other:?}"),
    }
    let grant = grant_of(RequestId::random(), &account("alice"), 1);
    match client.ledger.grant(&grant).await {
        Err(Error::Store(error)) => assert_eq!(stored_sqlstate(&error), "ZF001"),
        other => panic!("{other:?}"),
    }
    assert_untouched(&world).await;
}

#[tokio::test]
async fn a_transaction_is_admitted_once() {
    let (world, mut session, mine, _) = opened().await;
    session.run("begin").await;
    assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
    assert_eq!(sqlstate(session.admit(&[&mine]).await), "ZF002");
    session.run("rollback").await;
    assert_untouched(&world).await;
}

/// A refused admission does not make room for another one, under a better permit.
#[tokio::test]
async fn a_transaction_that_was_refused_is_not_admitted_afterwards() {
    let (world, mut session, mine, stale) = opened().await;
    session.run("begin").await;
    assert_eq!(session.admit(&[&stale]).await.unwrap().outcome, "stale");
    assert_eq!(sqlstate(session.admit(&[&mine]).await), "ZF002");
    session.run("rollback").await;
    assert_untouched(&world).await;
}

/// What was written or locked before the admission was not fenced by it.
#[tokio::test]
async fn an_admission_or_an_opening_after_a_write_or_a_lock_raises() {
    let (world, mut session, mine, _) = opened().await;
    let higher = permit("r", 3);
    session.run("create table notes (note text)").await;
    for before in [
        "insert into notes values ('early')",
        "select from credit.account where name = 'alice' for update",
        "select credit.grant(gen_random_uuid(), 'alice', 1, '')",
    ] {
        for call in ["open", "admit", "charge"] {
            session.run("begin").await;
            session.run(before).await;
            let raised = match call {
                "open" => session.open(&higher).await.map(drop),
                "admit" => session.admit(&[&mine]).await.map(drop),
                _ => {
                    let charge = charge(&account("alice"), 1);
                    session.charge(&mine, &charge).await.map(drop)
                }
            };
            assert_eq!(sqlstate(raised), "ZF002", "{call} after {before}");
            session.run("rollback").await;
        }
    }
    let notes: i64 = sqlx::query_scalar("select count(*) from notes")
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(notes, 0);
    assert_untouched(&world).await;
}

/// It is the opening of another resource, and as good as any; but this transaction has not locked
/// its row.
#[tokio::test]
async fn a_charge_under_a_permit_that_was_not_admitted_raises() {
    let (world, mut session, mine, _) = opened().await;
    let other = permit("other", 1);
    session.open(&other).await.unwrap();
    session.run("begin").await;
    assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
    let raised = session.charge(&other, &charge(&account("alice"), 1)).await;
    assert_eq!(sqlstate(raised), "ZF006");
    session.run("rollback").await;
    assert_untouched(&world).await;
}

/// The same through the typed API.
#[tokio::test]
async fn a_typed_charge_under_a_permit_that_was_not_admitted_is_a_misuse() {
    let (world, _session, _, _) = opened().await;
    let client = world.client().await;
    let admitted = client.open(&permit("a", 1)).await;
    let other = client.open(&permit("b", 1)).await;
    let mut tx = client.begin(&admitted).await;
    let charge = charge(&account("alice"), 1);
    match client.ledger.charge_within(&mut tx, &other, &charge).await {
        Err(Error::Store(error)) => assert_eq!(stored_sqlstate(&error), "ZF006"),
        other => panic!("{other:?}"),
    }
    tx.rollback().await.unwrap();
    assert_untouched(&world).await;
}

/// The setting only carries the permits. Whoever sets it by hand is looked at again.
#[tokio::test]
async fn a_forged_admission_under_a_stale_permit_raises() {
    let (world, mut session, _, stale) = opened().await;
    session.run("create table notes (note text)").await;
    session
        .run("begin; insert into notes values ('in front of the charge')")
        .await;
    forge(&mut session, &stale).await;
    let raised = session.charge(&stale, &charge(&account("alice"), 1)).await;
    assert_eq!(sqlstate(raised), "ZF006");
    // Committing a failed transaction rolls it back.
    session.run("commit").await;
    let notes: i64 = sqlx::query_scalar("select count(*) from notes")
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(notes, 0);
    assert_untouched(&world).await;
}

/// Forged under the right permit it is worth as much as the real one: the row is locked all the
/// same, and a successor waits.
#[tokio::test]
async fn a_forged_admission_under_the_right_permit_still_holds_the_resource() {
    let (world, mut session, mine, _) = opened().await;
    let next = world.client().await;
    session.run("begin").await;
    forge(&mut session, &mine).await;
    let answer = session.charge(&mine, &charge(&account("alice"), 1)).await;
    assert_eq!(answer.unwrap().outcome, "applied");
    let opening = next.start_open(&permit("r", 3));
    world.until_blocked(next.pid, session.pid).await;
    session.run("commit").await;
    opening.done().await.unwrap();
    assert!(world.findings().await.is_empty());
}

async fn forge(session: &mut Session, permit: &Permit) {
    sqlx::query(
        "select set_config('fence.admitted', $2::bigint || ' ' || $3::uuid || ' ' || $1::text, true)",
    )
    .bind(permit.resource().as_str())
    .bind(permit.fence().as_i64())
    .bind(permit.holder().as_uuid())
    .execute(&mut session.connection)
    .await
    .unwrap();
}

/// Rolling back to a savepoint gives back the row lock that was taken after it. The admission must
/// go with the lock; else the rest of the transaction would write without one.
#[tokio::test]
async fn an_admission_goes_with_the_savepoint_that_it_was_made_in() {
    let (world, mut session, mine, _) = opened().await;
    let next = world.client().await;
    session.run("begin; savepoint before").await;
    assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
    session.run("rollback to savepoint before").await;
    // The lock is gone: a successor opens while the transaction still stands.
    within("an opening after the savepoint", next.open(&permit("r", 3))).await;
    let raised = session.charge(&mine, &charge(&account("alice"), 1)).await;
    assert_eq!(sqlstate(raised), "ZF002");
    session.run("rollback").await;
    assert!(world.charges(&account("alice")).await.is_empty());
}

/// A savepoint after the admission is the caller's own business: the admission stays.
#[tokio::test]
async fn an_admission_outlives_a_savepoint_that_came_after_it() {
    let (world, mut session, mine, _) = opened().await;
    let alice = account("alice");
    session.run("begin").await;
    assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
    session.run("savepoint after").await;
    session.charge(&mine, &charge(&alice, 1)).await.unwrap();
    session.run("rollback to savepoint after").await;
    let again = session.charge(&mine, &charge(&alice, 2)).await.unwrap();
    assert_eq!(again.outcome, "applied");
    session.run("commit").await;
    assert_eq!(world.balance(&alice).await, 8);
    assert!(world.findings().await.is_empty());
}

/// A pooler that mixes up prepared statements sends one function the arguments of another.
#[tokio::test]
async fn a_call_that_was_meant_for_another_function_raises() {
    let (world, mut session, _, _) = opened().await;
    for call in [
        "select fence.open('r', 3, gen_random_uuid(), '1 s', p_call => 'close')",
        "select fence.close('r', 2, gen_random_uuid(), 1, p_call => 'open')",
        "select fence.admit(array[('r', 2, gen_random_uuid())::fence.permit], 'x', null, '1 s',
            p_call => 'charge')",
        "select credit.grant(gen_random_uuid(), 'alice', 1, '', p_call => 'charge')",
        "select credit.charge('r', 2, gen_random_uuid(), gen_random_uuid(), 'alice', 1, '',
            p_call => 'grant')",
        "select fence.mark('r', p_call => 'open')",
        "select credit.open_account('bob', p_call => 'grant')",
    ] {
        assert_eq!(sqlstate(session.attempt(call).await), "ZF003", "{call}");
    }
    assert_untouched(&world).await;
}

#[tokio::test]
async fn what_can_be_no_permit_is_a_bad_argument() {
    let (world, mut session, _, _) = opened().await;
    for call in [
        "select fence.open('', 3, gen_random_uuid(), '1 s')",
        "select fence.open(repeat('x', 513), 3, gen_random_uuid(), '1 s')",
        "select fence.open(null, 3, gen_random_uuid(), '1 s')",
        "select fence.open('r', 0, gen_random_uuid(), '1 s')",
        "select fence.open('r', -5, gen_random_uuid(), '1 s')",
        "select fence.open('r', 4611686018427387904, gen_random_uuid(), '1 s')",
        "select fence.open('r', null, gen_random_uuid(), '1 s')",
        "select fence.open('r', 3, null, '1 s')",
        "select fence.open('r', 3, gen_random_uuid(), '0 s')",
        "select fence.open('r', 3, gen_random_uuid(), null)",
        "select fence.admit('{}', 'x', null, '1 s')",
        "select fence.admit(null, 'x', null, '1 s')",
        "select fence.admit(array[('r', 2, gen_random_uuid())::fence.permit,
            ('r', 3, gen_random_uuid())::fence.permit], 'x', null, '1 s')",
        "select fence.admit(array(select (n::text, 1, gen_random_uuid())::fence.permit
            from generate_series(1, 65) n), 'x', null, '1 s')",
        "select fence.close('r', 2, gen_random_uuid(), null)",
        "select credit.charge('r', 2, gen_random_uuid(), null, 'alice', 1, '')",
        "select credit.charge('r', 2, gen_random_uuid(),
            '00000000-0000-0000-0000-000000000000', 'alice', 1, '')",
        "select credit.charge('r', 2, gen_random_uuid(), gen_random_uuid(), '', 1, '')",
        "select credit.charge('r', 2, gen_random_uuid(), gen_random_uuid(), 'alice', 1, null)",
        "select credit.open_account('spent')",
    ] {
        assert_eq!(sqlstate(session.attempt(call).await), "ZF004", "{call}");
    }
    assert_untouched(&world).await;
}

/// Two transactions of one holder that have written, and then close, would each wait for the other.
#[tokio::test]
async fn a_close_after_a_write_is_a_misuse() {
    let (world, mut session, mine, _) = opened().await;
    session.run("begin").await;
    assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
    assert_eq!(sqlstate(session.close(&mine).await), "ZF002");
    session.run("rollback").await;
    assert_untouched(&world).await;
}
