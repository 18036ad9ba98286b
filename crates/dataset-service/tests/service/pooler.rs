//! Behind a transaction pooler (C32): a statement that has a name meets another's of the same name.

use testbed::{Options, PgBouncer, PostgresServer};

use crate::call::Ask;
use crate::install::migrate;
use crate::stage::{LONG, Stage, account, ask_until_answered, got, query, within};

/// How many ask at once, over two server connections.
const CLIENTS: usize = 8;
/// So many queries of each: as many as make two of them meet.
const QUERIES: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn c32_through_a_transaction_pooler_everybody_has_his_own_answer_and_is_charged_for_it() {
    let options = Options::throw_away().pgbouncer_config("default_pool_size", "2");
    let (server, pooler) = tokio::task::block_in_place(|| {
        let server = PostgresServer::start(&options).unwrap();
        let pooler = PgBouncer::start(&server, &options).unwrap();
        (server, pooler)
    });
    let stage = Stage::at(server.url().to_owned(), "pooler").await;
    let all = i64::try_from(CLIENTS * QUERIES).unwrap();
    stage.grant("8", all).await;
    assert!(migrate(&stage).status.success());
    let options = [
        ("DATABASE_URL", pooler.url()),
        ("QUERIES_URL", server.url()),
        ("POOLED", "true"),
        ("NO_INSTALL", "true"),
    ];
    let instance = stage.instance(&[&LONG, &options]).await;
    assert_eq!(got(instance.ops, "/ready").await.status, 200);

    let clients = (0..CLIENTS).map(|client| tokio::spawn(asks(instance.listen, client)));
    for client in clients.collect::<Vec<_>>() {
        within("all answers of a client", client).await.unwrap();
    }
    let standing = stage.ledger.standing(&account("8")).await.unwrap().unwrap();
    assert_eq!((standing.balance, standing.held), (0, 0));
    let answers = "select count(*) from dataset.query where answer is not null";
    assert_eq!(stage.count(answers).await, all);
    assert_eq!(stage.refusals().await, []);
    let findings = stage.ledger.audit().await.unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let other = ask_until_answered(instance.listen, &query("42", "of-another"), &[]).await;
    assert_eq!(other.json()["balance"], 9);
}

/// Each query twice; each answer is of the dataset and the days that were asked for, and the second is the first.
async fn asks(server: std::net::SocketAddr, client: usize) {
    for number in 1..=QUERIES {
        let ask = Ask {
            user: "8".to_owned(),
            body: format!(r#"{{"from": {number}, "to": {}}}"#, number + client),
            ..query(&format!("d{client}"), &format!("k-{client}-{number}"))
        };
        let answer = ask_until_answered(server, &ask, &[]).await;
        let said = answer.json();
        assert_eq!(said["dataset"], format!("d{client}"));
        assert_eq!(said["from"], number);
        assert_eq!(said["rows"], (client + 1) * 24);
        let again = ask_until_answered(server, &ask, &[]).await;
        assert_eq!(again.body, answer.body);
    }
}
