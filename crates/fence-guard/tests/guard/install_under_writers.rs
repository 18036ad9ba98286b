//! An upgrade while instances of the service go on writing: what they have prepared names functions by number, so
//! every function that keeps its signature is replaced in place.

use credit_ledger::Account;
use fence_guard::{SCHEMA, Schema, install};
use promises::{Client, Started, World, charge, permit, start, within};
use tokio::sync::watch;

use crate::protected::{begin, opened, world};

const WRITERS: usize = 4;
const UPGRADES: i32 = 6;
/// More than the writers can spend.
const CREDITS: i64 = 1_000_000;

/// A writer in its loop: how many rounds it has made, and what it came to.
struct Writer {
    rounds: watch::Receiver<u64>,
    running: Started<()>,
}

/// Both schemas as so much later a version; every function of them is made again.
fn later(by: i32) -> [Schema; 2] {
    [SCHEMA, credit_ledger::SCHEMA].map(|schema| Schema {
        functions_version: schema.functions_version + by,
        ..schema
    })
}

#[tokio::test]
async fn instances_go_on_writing_through_upgrades_with_what_they_have_prepared() {
    let world = world().await;
    let (stop, stopped) = watch::channel(false);
    let mut writers = Vec::new();
    for n in 0..WRITERS {
        let account = world.account(&format!("user:{n}"), CREDITS).await;
        writers.push(Writer::start(
            world.client().await,
            n,
            account,
            stopped.clone(),
        ));
    }
    for writer in &mut writers {
        writer.makes_another_round().await;
    }
    for upgrade in 1..=UPGRADES {
        install(world.pool(), &later(upgrade)).await.unwrap();
        for writer in &mut writers {
            writer.makes_another_round().await;
        }
    }
    stop.send_replace(true);
    for writer in writers {
        writer.running.done().await;
    }
    assert!(world.findings().await.is_empty());
}

impl Writer {
    /// Opens, writes through the trigger, charges and closes, in one connection, until it is stopped.
    fn start(client: Client, n: usize, account: Account, stopped: watch::Receiver<bool>) -> Writer {
        let (round, rounds) = watch::channel(0);
        let running = start(async move {
            while !*stopped.borrow() {
                let fence = *round.borrow() + 1;
                let open = client.open(&permit(&format!("writer:{n}"), fence)).await;
                client.charge(&open, &charge(&account, 1)).await;
                let mut tx = client.begin(&open).await;
                let insert = "insert into thing values ($1)";
                let insert = sqlx::query(insert).bind(open.permit().resource().as_str());
                insert.execute(&mut *tx).await.unwrap();
                tx.commit().await.unwrap();
                client.close(&open).await;
                round.send_replace(fence);
            }
        });
        Writer { rounds, running }
    }

    /// Waits for one whole round that began after the last look.
    async fn makes_another_round(&mut self) {
        let before = *self.rounds.borrow();
        let more = self.rounds.wait_for(|&rounds| rounds > before + 1);
        within("a writer makes another round", more).await.unwrap();
    }
}

#[tokio::test]
async fn a_transaction_that_an_upgrade_finds_in_the_middle_writes_and_commits() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    begin(&mut session, &[&permits[0]]).await;
    session.run("insert into note values (3, 'r')").await;
    install(world.pool(), &later(1)).await.unwrap();
    session.run("insert into note values (4, 'r')").await;
    session.run("commit").await;
    assert_eq!(notes(&world).await, 4);
}

async fn notes(world: &World) -> i64 {
    sqlx::query_scalar("select count(*) from note")
        .fetch_one(world.pool())
        .await
        .unwrap()
}
