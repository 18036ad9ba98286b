//! `sql/README.md` is what somebody reads who writes under the guard from another language, or at night.
//! Here its programs are run as they stand there, and print what stands below them; the statements of
//! its runbook are sent; and its tables are held against the catalogue.

#[path = "other_languages/lost_time.rs"]
mod lost_time;
#[path = "other_languages/page.rs"]
mod page;
#[path = "other_languages/programs.rs"]
mod programs;
#[path = "other_languages/restore.rs"]
mod restore;
#[path = "other_languages/ten_minutes.rs"]
mod ten_minutes;

use std::collections::BTreeSet;

use fence_guard::{Guard, TriggerRefusal};
use promises::{HOLD, World, permit};
use sqlx::{Connection, Executor, PgConnection};
use testbed::{Options, PostgresServer, TestDatabase};
use uuid::Uuid;

use crate::page::PAGE;
use crate::programs::{psql, python};

/// A database of its own, with the page's table in it.
async fn protected(test: &str) -> (World, TestDatabase) {
    let database = testbed::database(test).await;
    let world = World::at(database.url()).await;
    let table = PAGE.block("sql", "create table report");
    world.session().await.run(table).await;
    (world, database)
}

/// What is kept of refused writes: reason, presented fence, mark, attempts.
async fn kept(world: &World) -> Vec<(String, i64, i64, i64)> {
    let rows = world.refusals().await.into_iter();
    let kept = rows.map(|r| (r.reason, r.presented_fence, r.observed_fence, r.attempts));
    kept.collect()
}

async fn reports(world: &World) -> Vec<(String, String)> {
    let all = "select resource, state from report order by resource";
    sqlx::query_as(all).fetch_all(world.pool()).await.unwrap()
}

#[tokio::test]
async fn from_psql_a_late_holder_is_refused_and_kept_as_the_page_says() {
    let (world, database) = protected("psql").await;
    let printed = psql(database.url(), &[], PAGE.block("sql", r"\gset"));
    assert_eq!(printed, PAGE.printed_by("sql", r"\gset"));
    assert_eq!(kept(&world).await, [("stale".to_owned(), 1, 2, 2)]);
    let draft = ("report:2026-11".to_owned(), "draft".to_owned());
    assert_eq!(reports(&world).await, [draft]);
    let openings = world.openings("report:2026-11").await;
    assert_eq!(
        openings.iter().map(|o| o.takeover).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn from_python_a_late_holder_is_refused_and_kept_as_the_page_says() {
    let (world, database) = protected("python").await;
    let printed = python(database.url(), PAGE.block("python", "psycopg"));
    assert_eq!(printed, PAGE.printed_by("python", "psycopg"));
    assert_eq!(kept(&world).await, [("stale".to_owned(), 1, 2, 2)]);
    let published = ("report:2026-12".to_owned(), "published".to_owned());
    assert_eq!(reports(&world).await, [published]);
    assert!(world.findings().await.is_empty());
}

#[tokio::test]
async fn a_table_is_moved_to_another_column_as_the_page_says() {
    let (world, database) = protected("move").await;
    psql(database.url(), &[], PAGE.block("sql", r"\gset"));
    let add = "alter table report add column subject text";
    assert!(PAGE.says(&format!("(`{add}`)")));
    let mut hand = world.session().await;
    hand.run(add).await;
    psql(database.url(), &[], PAGE.block("sql", "fence.unprotect"));

    let guard = Guard::new(world.pool().clone());
    let subject = permit("subject:report:2026-11", 1);
    let open = guard.open(&subject, HOLD).await.unwrap();
    let mut tx = guard
        .begin(&open, "set state", Uuid::nil(), HOLD)
        .await
        .unwrap();
    let update = "update report set state = 'moved'";
    assert_eq!(tx.execute(update).await.unwrap().rows_affected(), 1);
    tx.commit().await.unwrap();
    let refused = hand.attempt(update).await.unwrap_err();
    let refusal = TriggerRefusal::of(&refused).unwrap();
    assert_eq!(refusal.resource(), Some(subject.resource().as_str()));
}

/// On a server of its own, where roles can be made.
#[tokio::test]
async fn the_jobs_that_the_page_schedules_run_as_the_operator_that_it_makes() {
    let server = PostgresServer::start(&Options::throw_away()).unwrap();
    let world = World::at(server.url()).await;
    let mut owner = world.session().await;
    owner.run("create role scheduler login").await;
    let grant = "select fence.grant_operator('scheduler')";
    assert!(PAGE.says(&format!("`{grant}`")));
    owner.run(grant).await;
    let url = server.url().replace("postgres@", "scheduler@");
    let mut scheduler = PgConnection::connect(&url).await.unwrap();
    // With pg_cron, what is scheduled stands between these.
    let jobs = PAGE
        .block("text", "cron.schedule")
        .split("$$")
        .skip(1)
        .step_by(2);
    let mut run = 0;
    for job in jobs {
        scheduler.execute(job).await.unwrap();
        run += 1;
    }
    assert_eq!(run, 3);
}

/// Two schedules for one job would be one too many.
#[test]
fn the_guards_readme_schedules_a_job_as_the_page_does() {
    let fold = "select cron.schedule('fold', '* * * * *', $$select fence.fold('30 days')$$)";
    let page = PAGE.block("text", "cron.schedule");
    assert!(page.replace("'fold',     ", "'fold', ").contains(fold));
    assert_eq!(page.matches("'* * * * *'").count(), 3);
    assert!(page::GUARD.says(&format!("`{fold}`")));
    assert!(page::GUARD.says("once a minute") && PAGE.says("Once a\nminute"));
}

#[tokio::test]
async fn the_page_names_every_table_and_every_function_that_anybody_is_given() {
    let world = World::new().await;
    let mut given: Vec<String> = Vec::new();
    for catalogue in [
        include_str!("other_languages/tables.sql"),
        include_str!("other_languages/functions.sql"),
    ] {
        let names = sqlx::query_scalar(catalogue).fetch_all(world.pool()).await;
        given.extend(names.unwrap());
    }
    assert!(given.len() > 40, "the catalogue has only {given:?}");
    for name in given {
        assert!(PAGE.says(&format!("`{name}`")), "{name} is not on the page");
    }
}

#[tokio::test]
async fn every_name_on_the_page_is_in_the_catalogue() {
    let world = World::new().await;
    let exists = include_str!("other_languages/exists.sql");
    let words = PAGE
        .0
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_')));
    let words = words.map(|word| word.trim_end_matches('.'));
    let of_ours = |word: &&str| word.starts_with("fence.") || word.starts_with("credit.");
    let names: BTreeSet<&str> = words.filter(of_ours).collect();
    assert!(names.len() > 40, "the page names only {names:?}");
    for name in names {
        let found: bool = sqlx::query_scalar(exists)
            .bind(name)
            .fetch_one(world.pool())
            .await
            .unwrap();
        // A field of a log, and no relation.
        assert!(found || name == "fence.presented", "there is no {name}");
    }
}

#[test]
fn the_page_explains_every_state_that_the_functions_raise() {
    let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
    let functions = schemas.iter().flat_map(|schema| schema.functions).copied();
    let tables = include_str!("../sql/guard/migrations/0001_guard.sql");
    let raised: BTreeSet<&str> = functions
        .chain([tables])
        .flat_map(|text| text.split("errcode = '").skip(1))
        .map(|rest| &rest[..5])
        .collect();
    assert!(raised.contains("ZF007"), "{raised:?}");
    for state in raised {
        let row = format!("| `{state}` | ");
        assert!(PAGE.says(&row), "{state} is not among the errors");
    }
}
