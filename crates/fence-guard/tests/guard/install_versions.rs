//! Rolling deploys: instances of several versions start in any order, and the newest functions stay.

use fence_guard::{Guard, InstallError, SCHEMA, Schema, install};
use promises::resource;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, PgPool, SqlSafeStr};

use crate::install::{BOTH, catalogue, install_at_once};
use crate::support::pool;

const MARK_ANSWERS_SEVEN: &str = include_str!("texts/mark_answers_seven.sql");

/// An older instance whose functions differ.
const OLDER: Schema = Schema {
    functions_version: SCHEMA.functions_version - 1,
    functions: &[MARK_ANSWERS_SEVEN],
    ..SCHEMA
};

/// A newer instance, which has a table and a function more.
const NEWER: Schema = Schema {
    migrator: with_a_later_migration,
    functions_version: SCHEMA.functions_version + 1,
    functions: &[MARK_ANSWERS_SEVEN, include_str!("texts/a_new_function.sql")],
    ..SCHEMA
};

/// An instance whose first migration is not the one that was applied.
const CHANGED: Schema = Schema {
    migrator: with_a_changed_migration,
    ..NEWER
};

pub(crate) fn with_a_later_migration() -> Migrator {
    let mut migrations = ours();
    migrations.push(Migration::new(
        9999,
        "later".into(),
        MigrationType::Simple,
        include_str!("texts/a_later_migration.sql").into_sql_str(),
        false,
    ));
    Migrator::with_migrations(migrations)
}

fn with_a_changed_migration() -> Migrator {
    let mut migrations = ours();
    let first = &mut migrations[0];
    let text = format!("{}\n-- An innocent comment.\n", first.sql.as_str());
    *first = Migration::new(
        first.version,
        first.description.clone(),
        first.migration_type,
        AssertSqlSafe(text).into_sql_str(),
        first.no_tx,
    );
    Migrator::with_migrations(migrations)
}

fn ours() -> Vec<Migration> {
    (SCHEMA.migrator)().iter().cloned().collect()
}

/// What `fence.mark` answers for a resource that was never opened: 0 by our functions, 7 by the
/// others.
async fn mark(pool: &PgPool) -> u64 {
    let guard = Guard::new(pool.clone());
    guard.mark(&resource("never opened")).await.unwrap().get()
}

#[tokio::test]
async fn an_older_instance_leaves_newer_functions_alone() {
    let database = testbed::database("older_instance").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &BOTH).await.unwrap();
    let before = catalogue(&pool).await;
    install(&pool, &[OLDER]).await.unwrap();
    assert_eq!(catalogue(&pool).await, before);
    assert_eq!(mark(&pool).await, 0);
}

#[tokio::test]
async fn a_newer_instance_replaces_the_functions_and_ours_comes_back_to_them_unharmed() {
    let database = testbed::database("newer_instance").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &BOTH).await.unwrap();
    install(&pool, &[NEWER]).await.unwrap();
    assert_eq!(mark(&pool).await, 7);

    // It meets a migration and functions that it does not know.
    let before = catalogue(&pool).await;
    install(&pool, &BOTH).await.unwrap();
    assert_eq!(catalogue(&pool).await, before);
    assert_eq!(mark(&pool).await, 7);
}

#[tokio::test]
async fn a_function_that_comes_with_a_newer_version_is_not_for_everybody() {
    let database = testbed::database("newer_function").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &[SCHEMA]).await.unwrap();
    install(&pool, &[NEWER]).await.unwrap();
    let is_public: bool = sqlx::query_scalar(
        "select has_function_privilege('pg_monitor', 'fence.only_in_newer_versions()', 'execute')",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert!(!is_public);
}

#[tokio::test]
async fn old_and_new_instances_that_start_at_once_end_with_the_newest() {
    let database = testbed::database("old_and_new_at_once").await;
    let instances = (0..12).map(|n| vec![[SCHEMA, NEWER][n % 2]]).collect();
    install_at_once(database.url(), instances).await;
    assert_eq!(mark(&pool(database.url(), 1).await).await, 7);
}

#[tokio::test]
async fn a_migration_with_another_text_is_refused_and_changes_nothing() {
    let database = testbed::database("changed_migration").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &BOTH).await.unwrap();
    let before = catalogue(&pool).await;
    let outcome = install(&pool, &[CHANGED]).await;
    assert!(
        matches!(outcome, Err(InstallError::Migration(_))),
        "{outcome:?}"
    );
    assert_eq!(catalogue(&pool).await, before);
}

/// To Postgres a function with other parameters is another function: the old one would stay, callable and
/// granted, and calls that leave parameters out would not know which is meant.
#[tokio::test]
async fn a_function_with_other_parameters_takes_the_place_and_the_grants_of_the_old_one() {
    const OTHER: Schema = Schema {
        functions_version: SCHEMA.functions_version + 1,
        functions: &[include_str!("texts/mark_with_another_parameter.sql")],
        ..SCHEMA
    };
    let database = testbed::database("other_parameters").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &[SCHEMA]).await.unwrap();
    grant_mark(&pool).await;

    install(&pool, &[OTHER]).await.unwrap();
    let functions = functions(&pool).await;
    assert_eq!(
        functions,
        [("fence.mark(text,text,integer)".to_owned(), true)]
    );
    assert_eq!(mark(&pool).await, 7);
}

/// Postgres replaces neither a result nor a parameter's name in place, also where the types of the
/// parameters stay as they are.
#[tokio::test]
async fn a_later_version_may_change_what_a_function_answers_and_how_its_parameters_are_called() {
    const OTHER: Schema = Schema {
        functions_version: SCHEMA.functions_version + 1,
        functions: &[include_str!("texts/mark_with_other_words.sql")],
        ..SCHEMA
    };
    let database = testbed::database("other_words").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &BOTH).await.unwrap();
    grant_mark(&pool).await;

    install(&pool, &[OTHER]).await.unwrap();
    let functions = functions(&pool).await;
    assert_eq!(functions, [("fence.mark(text,text)".to_owned(), true)]);
    let answer: (i64, String) =
        sqlx::query_as("select highest, said_of from fence.mark(p_name => 'r')")
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!(answer, (7, "r".to_owned()));
}

/// Lets one of Postgres' own roles call `fence.mark`: a role that the test made would outlive it where
/// the server is somebody's.
async fn grant_mark(pool: &PgPool) {
    let grant = sqlx::raw_sql("grant execute on function fence.mark to pg_monitor");
    grant.execute(pool).await.unwrap();
}

/// The guard's functions, and whether that role may call them.
async fn functions(pool: &PgPool) -> Vec<(String, bool)> {
    sqlx::query_as(
        "select p.oid::regprocedure::text, has_function_privilege('pg_monitor', p.oid, 'execute')
         from pg_proc p where p.pronamespace = 'fence'::regnamespace
           and p.prorettype <> 'trigger'::regtype",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}
