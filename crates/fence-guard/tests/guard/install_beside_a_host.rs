//! A host service keeps its own sqlx migrations in the same database. Neither sees the other's.

use std::sync::Arc;

use fence_guard::install;
use promises::within;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::sync::Barrier;
use tokio::task::LocalSet;

use crate::install::BOTH;
use crate::support::pool;

/// The host's own, recorded in `_sqlx_migrations`, under sqlx's own lock.
static HOST: Migrator = sqlx::migrate!("tests/guard/host");

/// So many instances of the host start at once.
const INSTANCES: usize = 8;

/// The host's records, with the transactions that wrote them.
async fn records(pool: &PgPool) -> Vec<(i64, String, String)> {
    sqlx::query_as(
        "select version, description, xmin::text from public._sqlx_migrations order by 1",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

/// The versions that are recorded for the guard.
async fn guard_versions(pool: &PgPool) -> Vec<i64> {
    sqlx::query_scalar("select version from fence.migration order by 1")
        .fetch_all(pool)
        .await
        .unwrap()
}

fn versions(migrator: &Migrator) -> Vec<i64> {
    migrator.iter().map(|migration| migration.version).collect()
}

async fn assert_apart(pool: &PgPool) {
    let hosts: Vec<i64> = records(pool).await.iter().map(|record| record.0).collect();
    assert_eq!(hosts, versions(&HOST));
    assert_eq!(guard_versions(pool).await, versions(&(BOTH[0].migrator)()));
}

#[tokio::test]
async fn an_install_leaves_the_migrations_of_its_host_alone() {
    let database = testbed::database("host_first").await;
    let pool = pool(database.url(), 2).await;
    HOST.run(&pool).await.unwrap();
    let before = records(&pool).await;
    install(&pool, &BOTH).await.unwrap();
    assert_eq!(records(&pool).await, before);
    // The host's next start finds nothing missing and nothing foreign.
    HOST.run(&pool).await.unwrap();
    assert_eq!(records(&pool).await, before);
    assert_apart(&pool).await;
}

#[tokio::test]
async fn a_host_migrates_in_a_database_that_has_the_guard_already() {
    let database = testbed::database("guard_first").await;
    let pool = pool(database.url(), 2).await;
    install(&pool, &BOTH).await.unwrap();
    HOST.run(&pool).await.unwrap();
    assert_apart(&pool).await;
    install(&pool, &BOTH).await.unwrap();
    assert_apart(&pool).await;
}

#[tokio::test]
async fn hosts_that_migrate_and_install_at_once_do_not_meet() {
    let database = testbed::database("host_at_once").await;
    let start = Arc::new(Barrier::new(INSTANCES));
    let instances = LocalSet::new();
    let mut started = Vec::new();
    for n in 0..INSTANCES {
        let (pool, start) = (pool(database.url(), 1).await, start.clone());
        // Spawned locally: the future of sqlx's `run` cannot move to another thread.
        started.push(instances.spawn_local(async move {
            start.wait().await;
            if n % 2 == 0 {
                HOST.run(&pool).await.unwrap();
                install(&pool, &BOTH).await.unwrap();
            } else {
                install(&pool, &BOTH).await.unwrap();
                HOST.run(&pool).await.unwrap();
            }
        }));
    }
    within("hosts that start at once", instances).await;
    for instance in started {
        instance.await.unwrap();
    }
    assert_apart(&pool(database.url(), 1).await).await;
}
