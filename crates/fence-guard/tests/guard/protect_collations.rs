//! A name is its bytes. The column that a service keeps it in may have any collation, also one that has no regular
//! expressions, and takes two spellings for one.

use promises::{Session, World};
use sqlx::AssertSqlSafe;

use crate::protected::world;

/// The collations to try; none where the server was built without ICU.
async fn collations(world: &World) -> Vec<&'static str> {
    let is_icu: bool =
        sqlx::query_scalar("select exists (select from pg_collation where collname = 'de-x-icu')")
            .fetch_one(world.pool())
            .await
            .unwrap();
    if is_icu {
        vec!["\"de-x-icu\"", "either_case"]
    } else {
        println!("not tried: this server has no ICU");
        Vec::new()
    }
}

async fn answer(session: &mut Session, query: &'static str) -> String {
    sqlx::query_scalar(query)
        .fetch_one(&mut session.connection)
        .await
        .unwrap_or_else(|error| panic!("{query}: {error}"))
}

#[tokio::test]
async fn a_name_may_come_from_a_column_of_any_collation() {
    let world = world().await;
    let mut session = world.session().await;
    let collations = collations(&world).await;
    if !collations.is_empty() {
        session
            .run(
                "create collation either_case
                 (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            )
            .await;
    }
    for (number, collation) in collations.into_iter().enumerate() {
        let table = format!(
            "drop table if exists mine; create table mine (name text collate {collation});
             insert into mine values ('Report:{number}')"
        );
        session.run(AssertSqlSafe(table)).await;
        for (query, expected) in CALLS {
            assert_eq!(
                answer(&mut session, query).await,
                *expected,
                "{collation}: {query}"
            );
        }
    }
}

const CALLS: &[(&str, &str)] = &[
    ("select fence.mark(name)::text from mine", "0"),
    (
        "select (fence.open(name, 1, '11111111-1111-4111-8111-111111111111', '1 min')).outcome from mine",
        "opened",
    ),
    (
        "select (fence.open(name, 1, '11111111-1111-4111-8111-111111111111', '1 min')).outcome from mine",
        "already open",
    ),
    ("select fence.mark(name)::text from mine", "1"),
    // Another spelling is another name.
    ("select fence.mark(upper(name))::text from mine", "0"),
    (
        "select (fence.open(upper(name), 1, '22222222-2222-4222-8222-222222222222', '1 min')).outcome from mine",
        "opened",
    ),
    (
        "select (fence.admit(array[(name, 1, '22222222-2222-4222-8222-222222222222')::fence.permit],
                             name, null, '1 min')).outcome from mine",
        "conflict",
    ),
    ("select count(*)::text from mine, fence.refusals(name, 0, null)", "1"),
    (
        "select (fence.close(name, 1, '11111111-1111-4111-8111-111111111111', 1)).outcome from mine",
        "closed",
    ),
    (
        "select (fence.open_next(name, '33333333-3333-4333-8333-333333333333', '1 min')).outcome from mine",
        "opened",
    ),
    ("select count(*)::text from mine, fence.openings(name, 0, null)", "2"),
    ("select count(*)::text from mine, fence.blockers(name)", "0"),
    ("select fence.check_write(name) ->> 'reason' from mine", "not admitted"),
    // Nor have two sessions two locks for it.
    (
        "select (fence.lock_key(name) = fence.lock_key(name::text collate \"C\"))::text from mine",
        "true",
    ),
];
