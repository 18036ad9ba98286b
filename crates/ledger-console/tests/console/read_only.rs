//! Nothing is written, whatever the URL says and whoever asks; and who may ask.

use promises::{World, sqlstate};
use testbed::{Options, PostgresServer};

use crate::support::{Stage, ask};

#[tokio::test]
async fn no_connection_can_write_also_where_the_url_would_let_it() {
    let stage = Stage::new().await;
    let willing = format!(
        "{}?options=-c%20default_transaction_read_only%3Doff",
        stage.url()
    );
    for url in [stage.url(), &willing] {
        let database = ledger_console::Database::connect(url).await.unwrap();
        for write in [
            "create table t (x int)",
            "select fence.open('r', 1, gen_random_uuid(), '1 s')",
        ] {
            let outcome = sqlx::raw_sql(write).execute(database.pool()).await;
            assert_eq!(sqlstate(outcome.map(|_| ())), "25006", "{write}");
        }
    }
}

/// Roles belong to a whole server, so this one is private. It waits for the disk, as one in production does.
#[tokio::test]
async fn a_role_that_only_reads_may_ask_everything_and_another_is_told_what_it_lacks() {
    let server = PostgresServer::start(&Options::throw_away().durable()).unwrap();
    let world = World::at(server.url()).await;
    world.account("alice", 10).await;
    let roles =
        "create role reader login; select fence.grant_reader('reader'); create role stranger login";
    world.session().await.run(roles).await;
    let reader = server.url().replace("postgres@", "reader@");
    for question in [
        &["refusals"][..],
        &["entries"],
        &["openings"],
        &["holds"],
        &["resource", "r"],
        &["account", "alice"],
        &["stats"],
        &["audit"],
        &["doctor"],
    ] {
        let answer = ask(&reader, question).await;
        assert_eq!(answer.code, Some(0), "{question:?}: {answer:?}");
    }
    let stranger = server.url().replace("postgres@", "stranger@");
    for question in [
        &["refusals"][..],
        &["account", "alice"],
        &["audit"],
        &["watch"],
    ] {
        let answer = ask(&stranger, question).await;
        assert_eq!(answer.code, Some(3), "{question:?}: {answer:?}");
        assert!(
            answer.stderr.contains("fence.grant_reader('stranger')"),
            "{answer:?}"
        );
    }
    // What it lacks is what the doctor finds.
    let answer = ask(&stranger, &["doctor"]).await;
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(
        answer
            .stdout
            .contains("stranger may not call fence.openings"),
        "{answer:?}"
    );
}
