//! `fence.bypass` tells who and what could write around the guard: nothing but the owner and the
//! superusers on a clean install, and every way around that is made afterwards.

use sqlx::{Connection, PgPool, SqlSafeStr};
use testbed::Options;

use crate::support::App;

/// kind, subject, finding.
type Row = (String, String, String);

async fn bypass(pool: &PgPool) -> Vec<Row> {
    let rows = sqlx::query_as("select kind, subject, finding from fence.bypass() order by 1, 2, 3");
    rows.fetch_all(pool).await.unwrap()
}

/// What is told once a way around is made; the way is closed again.
async fn told_after(app: &App, way: impl SqlSafeStr) -> Vec<Row> {
    let mut connection = app.world.pool().acquire().await.unwrap();
    let mut tx = connection.begin().await.unwrap();
    sqlx::raw_sql(way).execute(&mut *tx).await.unwrap();
    let rows = sqlx::query_as("select kind, subject, finding from fence.bypass()");
    let rows = rows.fetch_all(&mut *tx).await.unwrap();
    tx.rollback().await.unwrap();
    rows
}

#[tokio::test]
async fn a_clean_install_is_written_around_by_its_owner_and_superusers_only() {
    let app = App::start(&Options::throw_away().durable()).await;
    let rows = bypass(app.world.pool()).await;
    let owned = |schema: &str| {
        (
            "owner".to_owned(),
            "postgres".to_owned(),
            format!("owns schema {schema}"),
        )
    };
    let superuser = (
        "superuser".to_owned(),
        "postgres".to_owned(),
        "may write to every table".to_owned(),
    );
    assert_eq!(rows, [owned("credit"), owned("fence"), superuser]);
}

#[tokio::test]
async fn every_way_around_is_named() {
    let app = App::start(&Options::throw_away().durable()).await;
    for (way, kind, subject, finding) in [
        (
            "grant update on fence.resource to app",
            "table privilege",
            "app",
            "UPDATE on fence.resource",
        ),
        (
            "grant insert on credit.entry to public",
            "table privilege",
            "PUBLIC",
            "INSERT on credit.entry",
        ),
        (
            "grant delete on all tables in schema fence to app",
            "table privilege",
            "app",
            "DELETE on fence.refusal",
        ),
        (
            "grant truncate on credit.account to app",
            "table privilege",
            "app",
            "TRUNCATE on credit.account",
        ),
        (
            "grant trigger on credit.entry to app",
            "table privilege",
            "app",
            "TRIGGER on credit.entry",
        ),
        (
            "grant insert on credit.refused_write to app",
            "table privilege",
            "app",
            "INSERT on credit.refused_write",
        ),
        (
            "grant update on sequence fence.seq to app",
            "table privilege",
            "app",
            "UPDATE on fence.seq",
        ),
        (
            "grant update (fence) on fence.resource to app",
            "table privilege",
            "app",
            "UPDATE (fence) on fence.resource",
        ),
        (
            "grant pg_write_all_data to app",
            "table privilege",
            "app",
            "pg_write_all_data",
        ),
        (
            "grant create on schema fence to app",
            "schema privilege",
            "app",
            "CREATE on schema fence",
        ),
        (
            "grant execute on function fence.look to app",
            "function privilege",
            "app",
            "EXECUTE on fence.look",
        ),
        (
            "grant execute on function fence.fold to app",
            "operator",
            "app",
            "EXECUTE on fence.fold",
        ),
        (
            "grant execute on function fence.prune_refusals to public",
            "function privilege",
            "PUBLIC",
            "EXECUTE on fence.prune_refusals",
        ),
        (
            "create table app.note (resource text); alter table app.note owner to app;
             select fence.protect('app.note', 'resource')",
            "owner",
            "app",
            "owns protected table app.note",
        ),
        (
            "create table app.note (resource text); select fence.protect('app.note', 'resource');
             grant trigger on app.note to app",
            "table privilege",
            "app",
            "TRIGGER on app.note",
        ),
        (
            "grant execute on function credit.post to public",
            "function privilege",
            "PUBLIC",
            "EXECUTE on credit.post",
        ),
        (
            "grant postgres to app",
            "member of owner",
            "app",
            "the owner of fence",
        ),
        (
            "create role between; grant postgres to between; grant between to app",
            "member of owner",
            "app",
            "the owner of credit",
        ),
        (
            "alter schema credit owner to app",
            "owner",
            "app",
            "owns schema credit",
        ),
        (
            "alter table credit.entry owner to app",
            "owner",
            "app",
            "owns credit.entry",
        ),
        (
            "alter function fence.open owner to app",
            "owner",
            "app",
            "owns function fence.open",
        ),
        (
            "alter role app superuser",
            "superuser",
            "app",
            "every table",
        ),
        (
            "alter table fence.resource disable trigger resource_keeps",
            "trigger",
            "resource_keeps",
            "switched off",
        ),
        (
            "alter table fence.resource disable trigger all",
            "trigger",
            "resource_keeps_all",
            "switched off",
        ),
        (
            "alter table fence.resource enable replica trigger resource_keeps",
            "trigger",
            "resource_keeps",
            "switched off",
        ),
        (
            "grant pg_write_server_files to app",
            "superuser",
            "app",
            "pg_write_server_files",
        ),
        (
            "grant execute on function fence.open to public",
            "function privilege",
            "PUBLIC",
            "EXECUTE on fence.open",
        ),
        (
            "grant set on parameter session_replication_role to app",
            "setting",
            "app",
            "may SET session_replication_role",
        ),
        (
            "create rule swallow as on insert to fence.refusal do instead nothing",
            "trigger",
            "swallow",
            "a rule on fence.refusal",
        ),
        (
            "create function public.swallow() returns trigger language plpgsql as 'begin return null; end';
             create trigger swallow before insert on credit.entry
                 for each row execute function public.swallow()",
            "trigger",
            "swallow",
            "not the guard's own, on credit.entry",
        ),
        (
            "create or replace trigger resource_keeps before update or delete on fence.resource
                 for each row when (false) execute function fence.keep_resource()",
            "trigger",
            "resource_keeps",
            "not the guard's own",
        ),
        (
            "drop trigger hold_keeps on credit.hold",
            "trigger",
            "hold_keeps",
            "gone from credit.hold",
        ),
        (
            "drop trigger entry_keeps on credit.entry",
            "trigger",
            "entry_keeps",
            "gone from credit.entry",
        ),
        (
            "drop trigger resource_keeps_all on fence.resource",
            "trigger",
            "resource_keeps_all",
            "gone",
        ),
        (
            "alter role app set session_replication_role = replica",
            "setting",
            "app",
            "session_replication_role=replica",
        ),
        (
            "alter database postgres set session_replication_role = replica",
            "setting",
            "every role",
            "session_replication_role=replica",
        ),
        (
            "alter role app in database postgres set synchronous_commit = off",
            "setting",
            "app",
            "synchronous_commit=off",
        ),
        (
            "set local session_replication_role = replica",
            "setting",
            "server",
            "session_replication_role is replica",
        ),
    ] {
        let rows = told_after(&app, way).await;
        let is_named = rows
            .iter()
            .any(|row| row.0 == kind && row.1 == subject && row.2.contains(finding));
        assert!(is_named, "{way}: {rows:?}");
    }
    // Every way was closed again: each was named for itself.
    assert_eq!(bypass(app.world.pool()).await.len(), 3);
}

#[tokio::test]
async fn a_server_that_does_not_wait_for_the_disk_is_named() {
    let app = App::start(&Options::throw_away()).await;
    let rows = bypass(app.world.pool()).await;
    let says = |text: &str| {
        rows.iter()
            .any(|row| row.0 == "setting" && row.1 == "server" && row.2 == text)
    };
    assert!(
        says("fsync is off") && says("full_page_writes is off"),
        "{rows:?}"
    );
}
