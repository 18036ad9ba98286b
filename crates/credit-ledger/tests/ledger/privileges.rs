//! What `credit.grant_to` gives to a role, and what it does not: EXECUTE on the outer functions is
//! enough for everything that a service does, and for nothing else.

use std::time::Duration;

use credit_ledger::{Filter, Ledger, Purpose, RequestId};
use fence_guard::{Error, Guard, GuardOptions};
use promises::{
    HOLD, MustRefuse, account, capture, charge, grant_of, hold, permit, refund, release, resource,
    sqlstate,
};
use sqlx::types::time::OffsetDateTime;
use testbed::Options;
use uuid::Uuid;

use crate::support::{AS_CALLER, App, OUTER, every_row, session, texts};

/// Permission denied.
const DENIED: &str = "42501";

#[tokio::test]
async fn a_role_with_nothing_but_the_grant_opens_admits_writes_charges_closes_and_reads() {
    let app = App::start(&Options::throw_away()).await;
    let options = GuardOptions::default().with_wait(Duration::from_millis(100));
    let pool = sqlx::PgPool::connect(app.url()).await.unwrap();
    let (guard, ledger) = (
        Guard::with_options(pool.clone(), options),
        Ledger::new(pool.clone()),
    );
    let table = sqlx::raw_sql("create table app.note (text text)");
    table.execute(&pool).await.unwrap();
    let alice = account("alice");
    ledger.open_account(&alice).await.unwrap();
    ledger
        .grant(&grant_of(RequestId::random(), &alice, 10))
        .await
        .unwrap();

    let open = guard.open(&permit("r", 1), HOLD).await.unwrap();
    let mut tx = guard
        .begin(&open, "query", Uuid::nil(), HOLD)
        .await
        .unwrap();
    let note = sqlx::query("insert into app.note values ('x')");
    note.execute(&mut *tx).await.unwrap();
    ledger
        .charge_within(&mut tx, &open, &charge(&alice, 1))
        .await
        .unwrap();
    let blocked = guard.open(&permit("r", 2), HOLD).await;
    assert!(
        matches!(&blocked, Err(Error::Blocked { blockers }) if blockers.len() == 1),
        "{blocked:?}"
    );
    tx.commit().await.unwrap();
    ledger.charge(&open, &charge(&alice, 2)).await.unwrap();
    let (kept, freed) = (hold(&alice, 3), hold(&alice, 1));
    let captured = capture(&kept, 2);
    ledger.hold(&open, &kept).await.unwrap();
    ledger.hold(&open, &freed).await.unwrap();
    ledger.capture(&open, &captured).await.unwrap();
    ledger.release(&open, &release(&freed)).await.unwrap();
    ledger.refund(&refund(captured.request, 2)).await.unwrap();
    ledger.sweep_holds(10).await.unwrap();
    guard.close(&open, 1).await.unwrap();
    ledger.charge(&open, &charge(&alice, 3)).await.must_refuse();

    assert_eq!(ledger.balance(&alice).await.unwrap(), Some(7));
    assert_eq!(ledger.entries(&alice, 0, 10).await.unwrap().len(), 5);
    let purpose = Purpose::new("query").unwrap();
    let charged = ledger.charged(&alice, &purpose, OffsetDateTime::UNIX_EPOCH);
    assert_eq!(charged.await.unwrap(), 5);
    let holds = ledger.holds(&alice, None, 0, 10).await.unwrap();
    assert_eq!(holds.len(), 2);
    assert_eq!(
        ledger
            .refusals(Filter::all(), None, 0, 10)
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(guard.mark(&resource("r")).await.unwrap().get(), 1);
    assert_eq!(
        guard.openings(&resource("r"), 0, 10).await.unwrap().len(),
        1
    );
    assert_eq!(guard.refusals(None, 0, 10).await.unwrap().len(), 1);
    assert!(guard.audit().await.unwrap().is_empty());
    assert!(ledger.audit().await.unwrap().is_empty());
    let bypass = sqlx::query("select * from fence.bypass()").fetch_all(&pool);
    assert!(!bypass.await.unwrap().is_empty());
}

#[tokio::test]
async fn that_role_is_denied_every_verb_on_every_relation_of_both_schemas() {
    let app = App::start(&Options::throw_away()).await;
    app.world.account("alice", 10).await;
    let mut session = app.session().await;
    session
        .run(include_str!("sql/application_objects.sql"))
        .await;
    let before = every_row(app.world.pool()).await;

    let statements = texts(app.world.pool(), include_str!("sql/every_verb.sql")).await;
    assert!(
        statements.iter().any(|s| s == "delete from fence.resource"),
        "{statements:?}"
    );
    assert!(
        statements
            .iter()
            .any(|s| s == "select from credit.refused_write"),
        "{statements:?}"
    );
    for statement in statements {
        let outcome = session
            .attempt(sqlx::AssertSqlSafe(statement.clone()))
            .await;
        assert_eq!(sqlstate(outcome), DENIED, "{statement}");
    }
    assert_eq!(every_row(app.world.pool()).await, before);
}

#[tokio::test]
async fn that_role_may_call_the_outer_functions_and_is_denied_every_inner_one() {
    let app = App::start(&Options::throw_away()).await;
    let mut session = app.session().await;
    let mut given = [OUTER.as_slice(), AS_CALLER.as_slice()].concat();
    given.sort_unstable();
    assert_eq!(callable(&app, "app").await, given);
    let calls = app.calls_of_others(&given).await;
    assert!(
        calls
            .iter()
            .any(|call| call.starts_with("select fence.look(")),
        "{calls:?}"
    );
    // What tidies up is for an operator.
    for job in ["fold", "prune_openings", "prune_refusals"] {
        let start = format!("select fence.{job}(");
        assert!(calls.iter().any(|call| call.starts_with(&start)), "{job}");
    }
    for call in calls {
        let outcome = session.attempt(sqlx::AssertSqlSafe(call.clone())).await;
        assert_eq!(sqlstate(outcome), DENIED, "{call}");
    }
}

#[tokio::test]
async fn whoever_was_not_granted_anything_may_call_nothing() {
    let app = App::start(&Options::throw_away()).await;
    assert!(callable(&app, "stranger").await.is_empty());
    let mut stranger = session(&app.url().replace("app@", "stranger@")).await;
    let outcome = stranger.attempt("select fence.mark('r')").await;
    assert_eq!(sqlstate(outcome), DENIED);
}

/// Who is asked at night, and has nothing but `fence.grant_reader`: what it may call is what cannot write.
#[tokio::test]
async fn a_reader_may_call_what_cannot_write_and_is_denied_everything_else() {
    let app = App::start(&Options::throw_away()).await;
    app.world.account("alice", 10).await;
    let reader = "create role reader login; select fence.grant_reader('reader')";
    app.world.session().await.run(reader).await;
    let given = callable(&app, "reader").await;
    for read in [
        "fence.refusals",
        "fence.stats",
        "fence.bypass",
        "credit.entries",
        "credit.audit",
    ] {
        assert!(given.iter().any(|name| name == read), "{read}");
    }
    for write in [
        "fence.open",
        "fence.admit",
        "fence.close",
        "credit.charge",
        "credit.grant",
        "fence.fold",
    ] {
        assert!(!given.iter().any(|name| name == write), "{write}");
    }
    assert!(
        given.iter().all(|name| OUTER.contains(&name.as_str())),
        "{given:?}"
    );

    let before = every_row(app.world.pool()).await;
    let mut session = session(&app.url().replace("app@", "reader@")).await;
    for call in app.calls_of_others(&given).await {
        let outcome = session.attempt(sqlx::AssertSqlSafe(call.clone())).await;
        assert_eq!(sqlstate(outcome), DENIED, "{call}");
    }
    let pool = sqlx::PgPool::connect(&app.url().replace("app@", "reader@"))
        .await
        .unwrap();
    let (guard, ledger) = (Guard::new(pool.clone()), Ledger::new(pool));
    assert!(guard.refusals(None, 0, 10).await.unwrap().is_empty());
    assert_eq!(guard.versions().await.unwrap().len(), 2);
    assert!(!guard.bypass().await.unwrap().is_empty());
    assert_eq!(ledger.entries(Filter::all(), 0, 10).await.unwrap().len(), 1);
    let opened = guard.open(&permit("r", 1), HOLD).await;
    assert!(matches!(opened, Err(Error::Store(_))), "{opened:?}");
    assert_eq!(every_row(app.world.pool()).await, before);
}

#[tokio::test]
async fn that_role_can_neither_create_in_the_schemas_nor_change_what_is_in_them() {
    let app = App::start(&Options::throw_away()).await;
    let mut session = app.session().await;
    for statement in [
        "create table fence.mine (x int)",
        "create view credit.mine as select 1",
        "create type fence.mine as (x int)",
        "create sequence credit.mine",
        "create function fence.mark() returns bigint language sql as 'select 1'",
        "create function fence.judge(int, uuid, boolean, int, uuid) returns text language sql as 'select null'",
        "create operator credit.= (leftarg = bigint, rightarg = bigint, function = int8ne)",
        "create or replace function fence.mark(p_resource text, p_call text default 'mark')
            returns bigint language sql as 'select 1::bigint'",
        "drop function credit.audit(int)",
        "alter function fence.admit set search_path = app",
        "alter function fence.open owner to app",
        "alter schema fence rename to mine",
        "drop schema credit cascade",
        "grant execute on function fence.look to app",
        "alter type fence.permit add attribute x int",
        "set session_replication_role = replica",
        "select credit.grant_to('stranger')",
        "select fence.grant_operator('app')",
    ] {
        assert_eq!(
            sqlstate(session.attempt(statement).await),
            DENIED,
            "{statement}"
        );
    }
}

async fn callable(app: &App, role: &str) -> Vec<String> {
    sqlx::query_scalar(include_str!("sql/callable.sql"))
        .bind(role)
        .fetch_all(app.world.pool())
        .await
        .unwrap()
}
