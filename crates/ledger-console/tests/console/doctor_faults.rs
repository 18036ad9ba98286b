//! `ledger doctor` on a Postgres that is as it should be, but for one thing after the other.

use promises::World;
use serde_json::Value;
use testbed::{Options, PostgresServer};

use crate::support::ask;

/// Roles belong to a whole server, so this one is private. A crash loses nothing of what waits for its disk there, and
/// guarded calls do; the rest need not.
struct Place {
    server: PostgresServer,
    world: World,
}

impl Place {
    async fn new() -> Place {
        let options = Options::throw_away()
            .postgres_config("fsync", "on")
            .postgres_config("full_page_writes", "on");
        let server = PostgresServer::start(&options).unwrap();
        let world = World::at(server.url()).await;
        Place { server, world }
    }

    async fn run(&self, sql: &'static str) {
        self.world.session().await.run(sql).await;
    }

    /// What is found for this role, and the exit status.
    async fn found(&self, role: &str) -> (Option<i32>, Vec<Value>) {
        let url = self.server.url().replace("postgres@", &format!("{role}@"));
        let answer = ask(&url, &["doctor", "--format", "json"]).await;
        let lines = answer.stdout.lines();
        let found = lines.map(|line| serde_json::from_str(line).expect("each line is JSON"));
        (answer.code, found.collect())
    }
}

/// The one about this whose observation has these words: its severity, and what it means.
#[track_caller]
fn the<'a>(found: &'a [Value], about: &str, words: &str) -> (&'a str, &'a str) {
    let text = |row: &'a Value, field: &str| row[field].as_str().expect("it is text");
    let mut those = found
        .iter()
        .filter(|row| text(row, "about") == about && text(row, "observed").contains(words));
    match (those.next(), those.next()) {
        (Some(one), None) => (text(one, "severity"), text(one, "meaning")),
        _ => panic!("not one of {about} with {words:?} in {found:#?}"),
    }
}

#[tokio::test]
async fn each_way_around_the_guard_is_named_and_those_of_owner_and_operator_are_no_finding() {
    let place = Place::new().await;
    place
        .run(
            "create role reader login; select fence.grant_reader('reader');
             create role operator login; select fence.grant_operator('operator');
             create table report (resource text); select fence.protect('report', 'resource')",
        )
        .await;
    let (code, found) = place.found("reader").await;
    assert_eq!(code, Some(0), "{found:#?}");
    assert_eq!(
        the(&found, "bypass, operator", "operator EXECUTE on fence.fold").0,
        "note"
    );
    assert_eq!(the(&found, "bypass, owner", "owns schema fence").0, "note");

    place
        .run(
            "create role writer login; grant update (attempts) on fence.refusal to writer;
             alter table credit.entry disable trigger entry_keeps; alter table report set unlogged",
        )
        .await;
    let (code, found) = place.found("reader").await;
    assert_eq!(code, Some(1));
    for (about, words) in [
        ("bypass, trigger", "entry_keeps is switched off"),
        ("bypass, unlogged table", "report"),
        ("bypass, table privilege", "writer UPDATE (attempts)"),
    ] {
        let (severity, meaning) = the(&found, about, words);
        assert!(severity == "warning" && !meaning.is_empty(), "{about}");
    }
}

#[tokio::test]
async fn settings_of_a_role_that_guarded_calls_trip_over_are_named() {
    let place = Place::new().await;
    place
        .run(
            "create role reader login; select fence.grant_reader('reader');
             alter role reader set default_transaction_isolation = 'repeatable read';
             alter role reader set default_transaction_read_only = off",
        )
        .await;
    let (code, found) = place.found("reader").await;
    assert_eq!(code, Some(1));
    let (severity, meaning) = the(&found, "isolation", "repeatable read");
    assert!(
        severity == "warning" && meaning.contains("ZF001"),
        "{meaning}"
    );
    // What this program sets when it connects wins over what the role has set for itself.
    assert_eq!(
        the(&found, "role", "reader"),
        ("fine", "these connections cannot write")
    );
}

#[tokio::test]
async fn who_may_do_more_than_look_is_told_so_and_who_may_do_less_what_it_lacks() {
    let place = Place::new().await;
    place
        .run("create role service login; select credit.grant_to('service'); create role stranger login")
        .await;
    let (code, found) = place.found("service").await;
    assert_eq!(code, Some(0), "{found:#?}");
    assert_eq!(
        the(&found, "privileges", "service may open and charge, too").0,
        "note"
    );

    let (code, found) = place.found("stranger").await;
    assert_eq!(code, Some(1));
    let (severity, meaning) = the(&found, "privileges", "stranger may not call fence.openings");
    assert_eq!(severity, "warning");
    assert!(
        meaning.contains("fence.grant_reader('stranger')"),
        "{meaning}"
    );
    // And the look goes on.
    the(&found, "bypass", "may not ask that");
    the(&found, "functions", "may not ask that");
    the(&found, "redis", "none is named");
}

#[tokio::test]
async fn functions_of_another_version_than_this_program_are_named() {
    let place = Place::new().await;
    for (change, severity, words) in [
        (
            "update fence.installed set functions_version = 0 where schema_name = 'credit'",
            "warning",
            "not set 1 of this program",
        ),
        (
            "update fence.installed set functions_version = 99 where schema_name = 'credit'",
            "note",
            "newer than set 1",
        ),
        (
            "update fence.installed set functions_version = 1, functions_digest = 'x' where schema_name = 'credit'",
            "warning",
            "not set 1 of this program",
        ),
    ] {
        place.run(change).await;
        let (_, found) = place.found("postgres").await;
        let (told, meaning) = the(&found, "functions", "credit, set");
        assert!(
            told == severity && meaning.contains(words),
            "{change}: {meaning}"
        );
        assert_eq!(the(&found, "functions", "fence, set 1").0, "fine");
    }
}
