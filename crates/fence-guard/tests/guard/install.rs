//! Installing: at once from many instances, again at every start, and all or nothing.

use std::sync::Arc;
use std::time::Duration;

use fence_guard::{InstallError, SCHEMA, Schema, install, install_within, migrations};
use promises::within;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::support::pool;

/// Both schemas, each after the one that it needs.
pub(crate) const BOTH: [Schema; 2] = [SCHEMA, credit_ledger::SCHEMA];

/// So many instances start at once.
const INSTANCES: usize = 16;

/// What the schemas are made of, and which transactions wrote it.
pub(crate) async fn catalogue(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(include_str!("catalogue.sql"))
        .fetch_all(pool)
        .await
        .unwrap()
}

/// Whether there is a schema of this name.
async fn is_there(pool: &PgPool, schema: &str) -> bool {
    sqlx::query_scalar("select exists (select from pg_namespace where nspname = $1)")
        .bind(schema)
        .fetch_one(pool)
        .await
        .unwrap()
}

/// Installs from many instances at once: each has its connection, and waits for the others.
pub(crate) async fn install_at_once(url: &str, instances: Vec<Vec<Schema>>) {
    let start = Arc::new(Barrier::new(instances.len()));
    let mut installs = JoinSet::new();
    for schemas in instances {
        let (pool, start) = (pool(url, 1).await, start.clone());
        installs.spawn(async move {
            start.wait().await;
            install(&pool, &schemas).await
        });
    }
    let outcomes = within("installs at once", installs.join_all()).await;
    for outcome in outcomes {
        outcome.unwrap();
    }
}

#[tokio::test]
async fn sixteen_installs_at_once_on_an_empty_database_leave_one_set() {
    let database = testbed::database("sixteen_installs").await;
    install_at_once(database.url(), vec![BOTH.to_vec(); INSTANCES]).await;

    let pool = pool(database.url(), 1).await;
    let sets: Vec<(String, i32)> = sqlx::query_as(
        "select schema_name, functions_version from fence.installed order by 1 desc",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let expected = BOTH.map(|schema| (schema.name.to_owned(), schema.functions_version));
    assert_eq!(sets, expected);
    let twice: Vec<String> = sqlx::query_scalar(
        "select format('%s.%s', pronamespace::regnamespace, proname) from pg_proc
         where pronamespace::regnamespace::text in ('fence', 'credit') group by 1 having count(*) > 1",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert!(twice.is_empty(), "{twice:?}");
}

#[tokio::test]
async fn an_install_over_itself_changes_nothing() {
    let database = testbed::database("install_over_itself").await;
    let pool = pool(database.url(), 1).await;
    install(&pool, &BOTH).await.unwrap();
    let before = catalogue(&pool).await;
    install(&pool, &BOTH).await.unwrap();
    assert_eq!(catalogue(&pool).await, before);
}

#[tokio::test]
async fn a_function_that_fails_leaves_nothing_of_the_install() {
    let database = testbed::database("failing_function").await;
    let pool = pool(database.url(), 1).await;
    let broken = Schema {
        name: "credit",
        functions: &["create function credit.broken() returns int language sql as 'select'"],
        ..credit_ledger::SCHEMA
    };
    let outcome = install(&pool, &[SCHEMA, broken]).await;
    assert!(
        matches!(outcome, Err(InstallError::Database(_))),
        "{outcome:?}"
    );
    assert!(!is_there(&pool, "fence").await && !is_there(&pool, "credit").await);
    // Nothing is left that a correct install would trip over.
    install(&pool, &BOTH).await.unwrap();
}

/// An instance hangs in the middle of its own install, and does not keep all others from starting without a word.
#[tokio::test]
async fn an_install_behind_one_that_hangs_says_which_backend_it_is_and_leaves_nothing() {
    let database = testbed::database("install_behind_another").await;
    let (pool, hung) = (pool(database.url(), 1).await, pool(database.url(), 1).await);
    let mut tx = hung.begin().await.unwrap();
    let pid: i32 = sqlx::query_scalar(
        "select pg_backend_pid()
         from (select pg_advisory_xact_lock(hashtextextended('fence.install', 0))) turn",
    )
    .fetch_one(&mut *tx)
    .await
    .unwrap();
    // By the caller's bound, and by a shorter one of the connection.
    for (setting, bound) in [("0", 50), ("50ms", 3_600_000)] {
        let set = sqlx::query("select set_config('lock_timeout', $1, false)").bind(setting);
        set.execute(&pool).await.unwrap();
        let bound = Duration::from_millis(bound);
        let behind = within(
            "an install with a bound",
            install_within(&pool, &BOTH, bound),
        );
        let error = behind.await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&format!("backend {pid}")), "{text}");
        let InstallError::Blocked { holders } = error else {
            panic!("{text}");
        };
        assert_eq!(holders, [pid]);
        assert!(!is_there(&pool, "fence").await);
    }
    tx.rollback().await.unwrap();
    install(&pool, &BOTH).await.unwrap();
}

/// Migrations wait for their locks as long as the connection says, and not as long as an install waits for others.
#[tokio::test]
async fn the_bound_on_waiting_for_other_installs_does_not_reach_the_migrations() {
    const ASKS: Schema = Schema {
        name: "asks",
        migrator: || {
            let asks = "do $$ begin assert current_setting('lock_timeout') = '7s'; end $$";
            migrations(&[(1, "asks", asks)])
        },
        functions_version: 1,
        functions: &[],
    };
    let database = testbed::database("install_bound").await;
    let pool = pool(database.url(), 1).await;
    let set = sqlx::query("set lock_timeout = '7s'");
    set.execute(&pool).await.unwrap();
    let bound = Duration::from_secs(1);
    install_within(&pool, &[SCHEMA, ASKS], bound).await.unwrap();
}

#[tokio::test]
async fn a_role_that_may_not_create_schemas_is_told_so_and_leaves_nothing() {
    let database = testbed::database("install_without_rights").await;
    // One of Postgres' own roles, so that none has to be made on a server that may be somebody's.
    let poor = PgPoolOptions::new()
        .max_connections(1)
        .after_connect(|connection, _| {
            Box::pin(async move {
                let become_it = sqlx::query("set role pg_read_all_data");
                become_it.execute(connection).await.map(drop)
            })
        })
        .connect(database.url())
        .await
        .unwrap();
    let error = install(&poor, &BOTH).await.unwrap_err();
    let InstallError::Database(sqlx::Error::Database(answer)) = &error else {
        panic!("{error}");
    };
    assert_eq!(answer.code().as_deref(), Some("42501"));
    let text = error.to_string();
    assert!(
        text.contains("not installed") && text.contains("permission denied for database"),
        "{text}"
    );
    assert!(!is_there(&poor, "fence").await);
}

/// Default privileges of a database would hand a new schema's tables to whoever they name.
#[tokio::test]
async fn what_default_privileges_give_to_others_is_taken_from_a_new_schema_and_later_grants_stay() {
    let database = testbed::database("default_privileges").await;
    let pool = pool(database.url(), 1).await;
    let defaults = "alter default privileges grant all on tables to pg_monitor;
        alter default privileges grant all on sequences to pg_monitor;
        alter default privileges grant execute on functions to pg_monitor";
    sqlx::raw_sql(defaults).execute(&pool).await.unwrap();
    install(&pool, &BOTH).await.unwrap();
    let given: Vec<String> = sqlx::query_scalar(
        "select c.oid::regclass::text from pg_class c
         where c.relnamespace in ('fence'::regnamespace, 'credit'::regnamespace)
           and case c.relkind when 'S' then has_sequence_privilege('pg_monitor', c.oid, 'usage')
                    when 'i' then false
                    else has_table_privilege('pg_monitor', c.oid, 'select, insert, update, delete') end
         union all
         select p.oid::regprocedure::text from pg_proc p
         where p.pronamespace in ('fence'::regnamespace, 'credit'::regnamespace)
           and has_function_privilege('pg_monitor', p.oid, 'execute')",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert!(given.is_empty(), "{given:?}");

    // What its owner gives afterwards is the owner's decision.
    sqlx::raw_sql("grant select on fence.opening to pg_monitor")
        .execute(&pool)
        .await
        .unwrap();
    install(&pool, &BOTH).await.unwrap();
    let stays: bool =
        sqlx::query_scalar("select has_table_privilege('pg_monitor', 'fence.opening', 'select')")
            .fetch_one(&pool)
            .await
            .unwrap();
    assert!(stays);
}
