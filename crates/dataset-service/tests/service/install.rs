//! The tables: who puts them in place, and who finds them.

use std::process::{Command, Output};

use sqlx::AssertSqlSafe;

use crate::stage::{LONG, Stage, ask, program, query};

pub(crate) fn migrate(stage: &Stage) -> Output {
    let mut command = Command::new(program());
    command
        .arg("migrate")
        .env("DATABASE_URL", stage.database_url());
    command.output().unwrap()
}

/// A rollback, or an old instance that restarts in the middle of a rolling deploy.
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_starts_on_a_database_that_a_newer_one_has_migrated() {
    let stage = Stage::new("newer").await;
    drop(stage.instance(&[&LONG]).await);
    let newer =
        "insert into dataset.migration (version, description, success, checksum, execution_time)
                 values (99, 'of a newer version', true, '', 0)";
    sqlx::raw_sql(newer).execute(&stage.pool).await.unwrap();
    let old = stage.instance(&[&LONG]).await;
    assert_eq!(ask(&old, &query("42", "k-1")).await.status, 200);
    // The host's own tables are left alone.
    let in_public = "select count(*) from pg_tables where schemaname = 'public'";
    assert_eq!(stage.count(in_public).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_owns_nothing_serves_what_was_put_in_place_and_nothing_before_that() {
    let stage = Stage::new("no_install").await;
    let role: String = sqlx::query_scalar("select current_database() || '_service'")
        .fetch_one(&stage.pool)
        .await
        .unwrap();
    let sql = async |sql: &str| {
        let sql = sql.replace("ROLE", &role);
        let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&stage.pool).await;
        done.map(drop).unwrap();
    };
    sql("create role \"ROLE\" login password 'service'").await;
    let separator = if stage.database_url().contains('?') {
        '&'
    } else {
        '?'
    };
    let url = format!(
        "{}{separator}user={role}&password=service",
        stage.database_url()
    );
    let options = [("DATABASE_URL", url.as_str()), ("NO_INSTALL", "true")];
    let early = stage.start(&[&LONG, &options]).await;
    assert!(early.is_err(), "nothing is in place");

    let output = migrate(&stage);
    assert!(output.status.success(), "{output:?}");
    sql("select dataset.grant_to('ROLE')").await;
    let instance = stage.instance(&[&LONG, &options]).await;
    assert_eq!(ask(&instance, &query("42", "k-1")).await.status, 200);
    stage.assert_charged(1).await;

    sql("update fence.installed set functions_version = 0 where schema_name = 'dataset'").await;
    let outdated = stage.start(&[&LONG, &options]).await;
    assert!(outdated.is_err(), "what is in place is too old");
    drop(instance);
    sql("drop owned by \"ROLE\"; drop role \"ROLE\"").await;
}
