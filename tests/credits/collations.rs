//! A name is its bytes. The columns that a service keeps its accounts, resources and purposes in may have any collation,
//! also one that takes two spellings for one, or one each; and so may its database.

use promises::{Session, World, sqlstate};
use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnectOptions;

use crate::collations_calls::{assert_answers, keep};
use crate::setup::Holding;

const GERMAN: &str = "collate \"de-x-icu\"";
/// Takes upper and lower case for one.
const EITHER_CASE: &str = "collate either_case";

/// A session that knows the collations to try; none where the server was built without ICU.
async fn session_with_icu(world: &World) -> Option<Session> {
    let is_icu: bool =
        sqlx::query_scalar("select exists (select from pg_collation where collname = 'de-x-icu')")
            .fetch_one(world.pool())
            .await
            .unwrap();
    if !is_icu {
        println!("not tried: this server has no ICU");
        return None;
    }
    let mut session = world.session().await;
    session
        .run(
            "create collation either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        )
        .await;
    Some(session)
}

/// Makes an empty database anew, in German.
async fn make_german(session: &mut Session, url: &str) {
    let options: PgConnectOptions = url.parse().unwrap();
    let name = options.get_database().unwrap();
    // Each on its own: neither runs in a transaction.
    for statement in [
        format!("drop database \"{name}\""),
        format!(
            "create database \"{name}\" template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'
                 locale_provider icu icu_locale 'de'"
        ),
    ] {
        session.run(AssertSqlSafe(statement)).await;
    }
}

#[tokio::test]
async fn every_function_answers_the_same_to_names_of_any_collation() {
    let world = World::new().await;
    let Some(mut session) = session_with_icu(&world).await else {
        return;
    };
    for (number, collations) in [
        [""; 3],
        [GERMAN; 3],
        [EITHER_CASE; 3],
        // Which of them to compare by is not to be determined.
        [GERMAN, EITHER_CASE, "collate \"C\""],
        [EITHER_CASE, GERMAN, ""],
    ]
    .into_iter()
    .enumerate()
    {
        keep(&mut session, number, collations).await;
        assert_answers(&mut session, &format!("{collations:?}")).await;
    }
}

/// Whatever a caller writes behind its parameter.
#[tokio::test]
async fn a_parameter_with_a_collation_of_its_own_is_its_bytes() {
    let here = Holding::new().await;
    let Some(mut session) = session_with_icu(&here.world).await else {
        return;
    };
    let open = here.open.permit();
    for (account, expected) in [("alice", "applied"), ("Alice", "unknown account")] {
        let outcome: String = sqlx::query_scalar(
            "select (credit.charge($1 collate either_case, 1, $2, gen_random_uuid(), $3 collate either_case, 1,
                                   'query')).outcome",
        )
        .bind(open.resource().as_str())
        .bind(open.holder().as_uuid())
        .bind(account)
        .fetch_one(&mut session.connection)
        .await
        .unwrap();
        assert_eq!(outcome, expected, "{account}");
    }
    assert_eq!(here.standing().await, (9, 0));
}

/// The permits of a transaction are compared as texts: another spelling is none of them.
#[tokio::test]
async fn an_admission_covers_no_other_spelling_of_its_resource() {
    let here = Holding::new().await;
    let Some(mut session) = session_with_icu(&here.world).await else {
        return;
    };
    let held = here.hold(1).await.request.as_uuid().to_string();
    let one = here.open.permit();
    let other = one.holder().as_uuid();
    let capital = format!("fence.open('R', 1, '{other}', '1 min')");
    session
        .run(AssertSqlSafe(format!("select {capital}")))
        .await;
    let permit = format!("'R' collate either_case, 1, '{other}', gen_random_uuid()");
    for call in [
        format!("credit.charge({permit}, 'alice', 1, 'query')"),
        format!("credit.hold({permit}, 'alice', 1, 'query', '1 min')"),
        format!("credit.capture({permit}, '{held}', 1)"),
        format!("credit.release({permit}, '{held}')"),
    ] {
        session.run("begin").await;
        session.admit(&[one]).await.unwrap();
        let answered = session
            .attempt(AssertSqlSafe(format!("select {call}")))
            .await;
        assert_eq!(sqlstate(answered), "ZF006", "{call}");
        session.run("rollback").await;
    }
}

/// Also where the caller's collation takes it for one that there is: it would find nothing, and be taken for "none".
#[tokio::test]
async fn another_spelling_of_a_state_or_a_reason_is_none() {
    let here = Holding::new().await;
    let Some(mut session) = session_with_icu(&here.world).await else {
        return;
    };
    for call in [
        "select * from credit.holds(null, 0, 10, 'Open' collate either_case)",
        "select * from credit.refusals(null, 0, 10, 'Stale' collate either_case)",
    ] {
        assert_eq!(sqlstate(session.attempt(call).await), "ZF004", "{call}");
    }
}

/// What comes first is named first, in the order of bytes: capitals, in no dictionary's order, come before the others.
#[tokio::test]
async fn a_database_with_a_collation_of_its_own_answers_the_same() {
    let home = World::new().await;
    let Some(mut at_home) = session_with_icu(&home).await else {
        return;
    };
    let database = testbed::database("a_german_one").await;
    make_german(&mut at_home, database.url()).await;
    let world = World::at(database.url()).await;
    let mut session = world.session().await;
    keep(&mut session, 0, [""; 3]).await;
    assert_answers(&mut session, "a German database").await;

    for name in ["anna", "Zoe"] {
        world.account(name, 0).await;
    }
    session
        .run("update credit.account set balance = 1 where name in ('anna', 'Zoe')")
        .await;
    let subjects: Vec<String> =
        sqlx::query_scalar("select subject from credit.audit(null) where rule = 'S8'")
            .fetch_all(world.pool())
            .await
            .unwrap();
    assert_eq!(subjects, ["Zoe", "anna"]);
}
