//! S9: safety depends on no clock, and on no manners of a holder.
//!
//! `valid_for` is for liveness and figures. A guard that looked at it would turn away a holder whom
//! nobody has overtaken, and let one in whom somebody has, for as long as its clock says so. And a
//! session's settings are its holder's manners: one that shows an admission which it does not have,
//! or asks for less durability in the middle, must not get a commit that a crash undoes.

use std::time::Duration;

use fence_guard::{Permit, Reason};
use promises::{HOLD, MustRefuse, Session, World, account, charge, permit};
use uuid::Uuid;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn an_opening_whose_time_is_over_still_begins_and_charges() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let open = client.guard.open(&permit("r", 1), Duration::ZERO).await;
    let open = open.unwrap();
    // Returns when the server's own clock has passed it.
    let over: bool = sqlx::query_scalar(
        "select valid_until < clock_timestamp()
         from fence.resource, lateral pg_sleep_until(valid_until)",
    )
    .fetch_one(world.pool())
    .await
    .unwrap();
    assert!(over);

    client.begin(&open).await.commit().await.unwrap();
    client.charge(&open, &charge(&alice, 1)).await;
    assert_eq!(world.charges(&alice).await.len(), 1);
    assert!(world.refusals().await.is_empty());
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn an_opening_that_is_valid_for_an_hour_is_stale_as_soon_as_it_is_overtaken() {
    let world = World::new().await;
    let (old, new) = (world.client().await, world.client().await);
    let alice = world.account("alice", 10).await;
    let first = old.guard.open(&permit("r", 1), HOUR).await.unwrap();
    let second = permit("r", 2);
    assert!(new.open(&second).await.is_takeover());

    let begun = old.guard.begin(&first, "query", Uuid::nil(), HOLD).await;
    let charged = old.ledger.charge(&first, &charge(&alice, 1)).await;
    for refusal in [begun.must_refuse(), charged.must_refuse()] {
        assert_eq!(refusal.reason(), Reason::Stale);
        assert_eq!(refusal.mark().get(), 2);
        assert_eq!(refusal.opened_by(), Some(second.holder()));
    }
    let rows = world.refusals().await;
    let operations: Vec<&str> = rows.iter().map(|row| row.operation.as_str()).collect();
    assert_eq!(operations, ["query", "charge"]);
    for row in &rows {
        assert_eq!((row.reason.as_str(), row.observed_fence), ("stale", 2));
        assert_eq!(row.presented_holder, first.permit().holder().as_uuid());
    }
    assert!(world.charges(&alice).await.is_empty());
    assert!(world.findings().await.is_empty());
}

/// A session that wants its commits not to be durable, and shows an admission for every transaction.
async fn careless(world: &World, admitted: &str) -> Session {
    let mut session = world.session().await;
    session.run("set synchronous_commit = off").await;
    sqlx::query("select set_config('fence.admitted', $1, false)")
        .bind(admitted)
        .execute(&mut session.connection)
        .await
        .unwrap();
    session
}

async fn setting(session: &mut Session, name: &str) -> String {
    sqlx::query_scalar("select current_setting($1)")
        .bind(name)
        .fetch_one(&mut session.connection)
        .await
        .unwrap()
}

/// That the transaction commits durably; then it commits.
async fn commit_durably(session: &mut Session, after: &str) {
    assert_eq!(
        setting(session, "synchronous_commit").await,
        "on",
        "after {after}"
    );
    session.run("commit").await;
    assert_eq!(setting(session, "synchronous_commit").await, "off");
}

/// The longest that a transaction may wait, and stand still.
async fn limits(session: &mut Session) -> [String; 2] {
    [
        setting(session, "lock_timeout").await,
        setting(session, "idle_in_transaction_session_timeout").await,
    ]
}

/// The permit as the setting carries it.
fn shown(permit: &Permit) -> String {
    let (fence, holder) = (permit.fence().as_i64(), permit.holder().as_uuid());
    format!("{fence} {holder} {}", permit.resource())
}

#[tokio::test]
async fn a_session_with_junk_for_an_admission_is_durable_and_limited_like_any_other() {
    let world = World::new().await;
    let mut session = careless(&world, "junk").await;
    let mine = permit("r", 1);

    session.run("begin").await;
    assert_eq!(session.open(&mine).await.unwrap().outcome, "opened");
    assert_eq!(limits(&mut session).await, ["10s", "2min"]);
    commit_durably(&mut session, "open").await;

    for call in [
        "select credit.open_account('alice')",
        "select credit.grant(gen_random_uuid(), 'alice', 10, '')",
    ] {
        session.run("begin").await;
        session.run(call).await;
        assert_eq!(limits(&mut session).await, ["10s", "30s"], "{call}");
        commit_durably(&mut session, call).await;
    }

    session.run("begin").await;
    assert_eq!(session.close(&mine).await.unwrap().outcome, "closed");
    assert_eq!(limits(&mut session).await, ["10s", "1s"]);
    commit_durably(&mut session, "close").await;
}

/// Forged, it is worth as much as a true one to the charge, which looks at the row again; it must not
/// be worth more.
#[tokio::test]
async fn a_charge_under_a_forged_admission_is_durable() {
    let world = World::new().await;
    let alice = world.account("alice", 10).await;
    let mine = permit("r", 1);
    let mut session = careless(&world, &shown(&mine)).await;
    session.open(&mine).await.unwrap();

    session.run("begin").await;
    let charged = session.charge(&mine, &charge(&alice, 1)).await.unwrap();
    assert_eq!(charged.outcome, "applied");
    commit_durably(&mut session, "charge").await;
    assert_eq!(world.balance(&alice).await, 9);
}

#[tokio::test]
async fn a_true_admission_does_not_let_the_holder_lower_durability_afterwards() {
    let world = World::new().await;
    let alice = world.account("alice", 10).await;
    let mine = permit("r", 1);
    let mut session = careless(&world, "").await;
    session.open(&mine).await.unwrap();

    for call in ["charge", "grant", "open_account"] {
        session.run("begin").await;
        assert_eq!(session.admit(&[&mine]).await.unwrap().outcome, "admitted");
        session.run("set local synchronous_commit = off").await;
        match call {
            "charge" => {
                let charged = session.charge(&mine, &charge(&alice, 1)).await.unwrap();
                assert_eq!(charged.outcome, "applied");
            }
            "grant" => {
                let grant = "select credit.grant(gen_random_uuid(), 'alice', 1, '')";
                session.run(grant).await;
            }
            _ => session.run("select credit.open_account('bob')").await,
        }
        commit_durably(&mut session, call).await;
    }
    assert_eq!(world.balance(&account("alice")).await, 10);
}

/// The transaction's limits were set by its admission, and are its holder's to change; what rides in it leaves them
/// alone, but does not go without.
#[tokio::test]
async fn what_rides_in_an_admitted_transaction_leaves_its_limits_and_sets_those_that_are_off() {
    let world = World::new().await;
    let alice = world.account("alice", 10).await;
    let mine = permit("r", 1);
    let mut session = careless(&world, "").await;
    session.open(&mine).await.unwrap();

    session.run("begin").await;
    session.admit(&[&mine]).await.unwrap();
    session.run("set local lock_timeout = '1min'").await;
    session.charge(&mine, &charge(&alice, 1)).await.unwrap();
    assert_eq!(limits(&mut session).await, ["1min", "2min"]);
    let grant = "select credit.grant(gen_random_uuid(), 'alice', 1, '')";
    session.run(grant).await;
    assert_eq!(limits(&mut session).await, ["1min", "2min"]);
    session.run("set local lock_timeout = 0").await;
    session
        .run("set local idle_in_transaction_session_timeout = 0")
        .await;
    session.run(grant).await;
    assert_eq!(limits(&mut session).await, ["10s", "30s"]);
    session.run("rollback").await;

    session.run("begin").await;
    session.charge(&mine, &charge(&alice, 1)).await.unwrap();
    assert_eq!(limits(&mut session).await, ["10s", "30s"]);
    session.run("commit").await;
}
