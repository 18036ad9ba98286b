//! A caller chooses its session's search path, temporary objects and settings. None of them changes
//! what a function of the guard or the ledger does: those run as their owner, and would do the
//! caller's will with the owner's rights.

use promises::{Session, account, charge, permit};
use testbed::Options;

use crate::support::{App, texts};

/// Settings that every role may change, each to the value that would hurt most.
const SETTINGS: &[&str] = &[
    "set synchronous_commit = off",
    "set intervalstyle = 'sql_standard'",
    "set datestyle = 'Postgres, DMY'",
    "set extra_float_digits = -15",
    "set transform_null_equals = on",
    "set standard_conforming_strings = off",
    "set backslash_quote = on",
    "set quote_all_identifiers = on",
    "set check_function_bodies = off",
    "set row_security = off",
    "set array_nulls = off",
    "set xmloption = 'document'",
    "set timezone = 'Pacific/Kiritimati'",
    "set plan_cache_mode = force_generic_plan",
    "set enable_indexscan = off",
    "set jit_above_cost = 0",
    "set default_transaction_deferrable = on",
    "set plpgsql.check_asserts = off",
];

/// What the outer functions answer over one section and after it.
async fn story(session: &mut Session) -> Vec<String> {
    let (alice, first, second) = (account("alice"), permit("r", 1), permit("r", 2));
    let mut told = Vec::new();
    for made in [
        "select credit.open_account('alice')",
        "select credit.grant(gen_random_uuid(), 'alice', 10, '')",
    ] {
        session.run(made).await;
    }
    told.push(session.open(&first).await.unwrap().outcome);
    told.push(
        session
            .charge(&first, &charge(&alice, 3))
            .await
            .unwrap()
            .outcome,
    );
    told.push(session.open(&second).await.unwrap().outcome);
    told.push(
        session
            .charge(&first, &charge(&alice, 3))
            .await
            .unwrap()
            .outcome,
    );
    told.push(session.admit(&[&first]).await.unwrap().outcome);
    told.push(
        session
            .charge(&second, &charge(&alice, 8))
            .await
            .unwrap()
            .outcome,
    );
    told.push(session.admit(&[&second]).await.unwrap().outcome);
    told.push(session.close(&second).await.unwrap().outcome);
    told.push(session.open(&second).await.unwrap().outcome);
    for number in [
        "fence.mark('r')",
        "credit.balance('alice')",
        "(select pg_catalog.count(*) from fence.refusals(null, 0, 9))",
    ] {
        let query = sqlx::AssertSqlSafe(format!("select {number}"));
        let number: i64 = sqlx::query_scalar(query)
            .fetch_one(&mut session.connection)
            .await
            .unwrap();
        told.push(number.to_string());
    }
    told
}

const TOLD: [&str; 12] = [
    "opened",
    "applied",
    "opened",
    "stale",
    "stale",
    "insufficient credit",
    "admitted",
    "closed",
    "closed",
    "2",
    "7",
    "2",
];

#[tokio::test]
async fn an_unharmed_session_is_told_the_story_as_it_is() {
    let app = App::start(&Options::throw_away()).await;
    assert_eq!(story(&mut app.session().await).await, TOLD);
}

#[tokio::test]
async fn a_hostile_search_path_and_temporary_objects_change_nothing() {
    let app = App::start(&Options::throw_away()).await;
    let allow = sqlx::raw_sql("grant create on database postgres to app");
    allow.execute(app.world.pool()).await.unwrap();
    let mut session = app.session().await;
    session.run(include_str!("sql/hostile_path.sql")).await;
    // The traps are set: this session's own statements fall into them.
    session
        .attempt("select 1::bigint = 2::bigint")
        .await
        .unwrap_err();
    assert_eq!(story(&mut session).await, TOLD);
    assert!(app.world.findings().await.is_empty());
}

#[tokio::test]
async fn a_hostile_temporary_schema_in_front_of_everything_changes_nothing() {
    let app = App::start(&Options::throw_away()).await;
    let mut session = app.session().await;
    session.run("set search_path = pg_temp, pg_catalog").await;
    session.run("create temporary table resource (resource text, fence bigint, holder uuid); create temporary table pg_class (oid oid)").await;
    assert_eq!(story(&mut session).await, TOLD);
}

#[tokio::test]
async fn hostile_settings_change_nothing() {
    let app = App::start(&Options::throw_away()).await;
    let mut session = app.session().await;
    for setting in SETTINGS {
        session.run(*setting).await;
    }
    assert_eq!(story(&mut session).await, TOLD);
    assert!(app.world.findings().await.is_empty());
}

/// The setting only carries the permits: whoever keeps it over is looked at again.
#[tokio::test]
async fn a_forged_admission_admits_nobody() {
    let app = App::start(&Options::throw_away()).await;
    let mut session = app.session().await;
    let alice = app.world.account("alice", 10).await;
    let (stale, newest) = (permit("r", 1), permit("r", 2));
    session.open(&stale).await.unwrap();
    session.run("begin").await;
    session.admit(&[&stale]).await.unwrap();
    // What a true admission left, set for the whole session and shown again when it is over.
    let forge = "select set_config('fence.admitted', current_setting('fence.admitted'), false)";
    session.run(forge).await;
    session.run("commit").await;
    session.open(&newest).await.unwrap();

    let forged = "select current_setting('fence.admitted') <> ''";
    let is_forged = sqlx::query_scalar(forged)
        .fetch_one(&mut session.connection)
        .await;
    assert!(is_forged.unwrap_or(false));
    let charged = session.charge(&stale, &charge(&alice, 1)).await;
    assert_eq!(promises::sqlstate(charged), "ZF006");
    assert_eq!(app.world.balance(&alice).await, 10);
}

#[tokio::test]
async fn every_function_that_runs_as_its_owner_pins_its_search_path() {
    let app = App::start(&Options::throw_away()).await;
    let unpinned = texts(app.world.pool(), include_str!("sql/unpinned.sql")).await;
    assert!(unpinned.is_empty(), "{unpinned:?}");
}
