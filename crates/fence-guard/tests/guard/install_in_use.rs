//! A service builds on the guard's functions: views, grants, default privileges. An upgrade leaves them be, or says
//! what is in its way.

use fence_guard::{InstallError, SCHEMA, Schema, install};
use sqlx::PgPool;

use crate::install::{BOTH, catalogue};
use crate::install_versions::with_a_later_migration;
use crate::support::pool;

/// The same functions and a table more, as a later version.
const LATER: Schema = Schema {
    migrator: with_a_later_migration,
    functions_version: SCHEMA.functions_version + 1,
    ..SCHEMA
};

/// A later version of which `fence.mark` answers something else, and has other parameters.
const OTHER_RESULT: &[&str] = &[include_str!("texts/mark_with_other_words.sql")];
const OTHER_PARAMETERS: &[&str] = &[include_str!("texts/mark_with_another_parameter.sql")];

#[tokio::test]
async fn a_view_of_the_service_over_functions_of_the_guard_outlives_an_upgrade() {
    let database = testbed::database("view_over_functions").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &[SCHEMA]).await.unwrap();
    let views = "create view mark_of_r as select fence.mark('r') as mark;
        create view open_ways as select * from fence.bypass();
        create view broken_rules as select * from fence.audit()";
    sqlx::raw_sql(views).execute(&pool).await.unwrap();
    install(&pool, &[LATER]).await.unwrap();
    assert_eq!(answer(&pool, "select mark from mark_of_r").await, 0);
    assert_eq!(answer(&pool, "select count(*) from broken_rules").await, 0);
    assert!(answer(&pool, "select count(*) from open_ways").await > 0);
}

#[tokio::test]
async fn what_rests_on_a_function_that_changes_is_named_and_nothing_is_installed() {
    let database = testbed::database("view_in_the_way").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &BOTH).await.unwrap();
    let view = "create view mark_of_r as select fence.mark('r') as mark";
    sqlx::raw_sql(view).execute(&pool).await.unwrap();
    let before = catalogue(&pool).await;
    for functions in [OTHER_RESULT, OTHER_PARAMETERS, &[]] {
        let error = install(&pool, &[Schema { functions, ..LATER }])
            .await
            .unwrap_err();
        let InstallError::InUse { function, by } = &error else {
            panic!("{error}");
        };
        assert_eq!(function, "mark");
        assert!(by.contains("view mark_of_r"), "{by}");
        assert_eq!(catalogue(&pool).await, before);
    }
}

/// Default privileges hand what is new to whoever they name; they must not hand it out again with each upgrade.
#[tokio::test]
async fn an_upgrade_gives_nobody_what_default_privileges_would_and_keeps_what_was_granted() {
    let database = testbed::database("defaults_on_upgrade").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &[SCHEMA]).await.unwrap();
    let grants = "alter default privileges grant all on tables to pg_monitor;
        alter default privileges grant execute on functions to pg_monitor;
        grant select on fence.opening to pg_monitor;
        grant execute on function fence.mark to pg_monitor with grant option";
    sqlx::raw_sql(grants).execute(&pool).await.unwrap();
    let before = granted(&pool).await;
    install(&pool, &[LATER]).await.unwrap();
    assert_eq!(granted(&pool).await, before);

    // Also of a function that is not replaced, but made anew.
    let functions = OTHER_PARAMETERS;
    let version = LATER.functions_version + 1;
    let other = Schema {
        functions,
        functions_version: version,
        ..LATER
    };
    install(&pool, &[other]).await.unwrap();
    let expected = [
        "fence.mark(text,text,integer): EXECUTE, to give on",
        "fence.opening: SELECT",
    ];
    assert_eq!(granted(&pool).await, expected);
}

/// Both are ways around the guard, and are named as such until then.
#[tokio::test]
async fn an_upgrade_takes_what_was_granted_on_an_inner_function_and_to_everybody() {
    let database = testbed::database("inner_grants_on_upgrade").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &[SCHEMA]).await.unwrap();
    let grants = "grant execute on function fence.mark, fence.lock_key to pg_monitor;
        grant execute on function fence.mark to public";
    sqlx::raw_sql(grants).execute(&pool).await.unwrap();
    let named = [
        "pg_monitor: EXECUTE on fence.lock_key",
        "PUBLIC: EXECUTE on fence.mark",
    ];
    assert_eq!(ways(&pool).await, named);
    install(&pool, &[LATER]).await.unwrap();
    assert!(ways(&pool).await.is_empty());
    assert_eq!(granted(&pool).await, ["fence.mark(text,text): EXECUTE"]);
}

/// Functions that somebody may call whom they are not for.
async fn ways(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "select format('%s: %s', subject, finding) from fence.bypass()
         where kind = 'function privilege' order by finding",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

#[tokio::test]
async fn a_text_that_makes_no_function_of_its_schema_is_named() {
    let database = testbed::database("text_without_a_function").await;
    let pool = pool(database.url(), 1).await;
    let functions =
        &["-- fence.x\ncreate function public.x() returns int language sql as 'select 1'"];
    let error = install(
        &pool,
        &[Schema {
            functions,
            ..SCHEMA
        }],
    )
    .await
    .unwrap_err();
    let text = error.to_string();
    assert!(
        text.ends_with("no function of schema fence is made by: -- fence.x"),
        "{text}"
    );
}

async fn answer(pool: &PgPool, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(pool).await.unwrap()
}

/// What that role was given on the guard's tables and functions.
async fn granted(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(include_str!("granted.sql"))
        .fetch_all(pool)
        .await
        .unwrap()
}
