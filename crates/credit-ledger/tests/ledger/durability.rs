//! S4 and S6 over `kill -9` of Postgres in the middle of a stream of charges: what was answered is
//! there, and what was not is resolved by sending it again, to exactly one entry (C46).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use credit_ledger::{Account, Applied, Charge, Error, StoreError};
use fence_guard::OpenPermit;
use promises::{Client, World, charge, permit, within};
use testbed::{Options, PostgresServer};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use uuid::Uuid;

const STREAMS: usize = 4;
/// How many kills are tried.
const KILLS: usize = 8;
/// So many charges are answered before the kill.
const ANSWERED: usize = 200;
/// More than all streams charge.
const CREDITS: i64 = 1_000_000;

/// A charge, and what became of it as far as its caller knows.
type Told = (Arc<OpenPermit>, Charge, Result<Applied, Error>);

/// Charges until there is no answer, or nobody wants more.
async fn stream(
    client: Client,
    open: Arc<OpenPermit>,
    account: Account,
    told: UnboundedSender<Told>,
    is_enough: Arc<AtomicBool>,
) {
    loop {
        let next = charge(&account, 1);
        let outcome = client.ledger.charge(&open, &next).await;
        let is_over = outcome.is_err() || is_enough.load(Ordering::Relaxed);
        told.send((open.clone(), next, outcome)).unwrap();
        if is_over {
            return;
        }
    }
}

/// Starts the streams, each under a resource of its own, on one account.
async fn start_streams(
    world: &World,
    account: &Account,
    is_enough: &Arc<AtomicBool>,
) -> (JoinSet<()>, UnboundedReceiver<Told>) {
    let (sender, told) = unbounded_channel();
    let mut streams = JoinSet::new();
    for number in 0..STREAMS {
        let client = world.client().await;
        let open = client.open(&permit(&format!("stream:{number}"), 1)).await;
        streams.spawn(stream(
            client,
            open,
            account.clone(),
            sender.clone(),
            is_enough.clone(),
        ));
    }
    (streams, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answered_charges_survive_kill_nine_and_unanswered_ones_come_to_one_entry_each() {
    // Now and then a kill comes between all calls. Then it has shown nothing of unanswered ones.
    for _ in 0..KILLS {
        if unanswered_by_a_kill().await > 0 {
            return;
        }
    }
    panic!("{KILLS} kills came between all calls");
}

/// How many calls a kill has left unanswered, after what became of all was looked at.
async fn unanswered_by_a_kill() -> usize {
    let options = Options::throw_away()
        .durable()
        .postgres_config("synchronous_commit", "off")
        // So late that only a commit that waits reaches the disk before the kill.
        .postgres_config("wal_writer_delay", "5s");
    let mut server = PostgresServer::start(&options).unwrap();
    let world = World::at(server.url()).await;
    let alice = world.account("alice", CREDITS).await;
    let is_enough = Arc::new(AtomicBool::new(false));
    let (streams, mut told) = start_streams(&world, &alice, &is_enough).await;
    let mut all = Vec::new();
    while all.len() < ANSWERED {
        all.push(within("the next charge", told.recv()).await.unwrap());
    }
    server.kill_nine().unwrap();
    is_enough.store(true, Ordering::Relaxed);
    // A stream whose connection was between two calls finds the server again, and charges once more.
    server.restart().unwrap();
    within("the end of the streams", streams.join_all()).await;
    while let Some(last) = told.recv().await {
        all.push(last);
    }

    let world = World::at(server.url()).await;
    let found: HashMap<Uuid, i64> = world
        .charges(&alice)
        .await
        .iter()
        .map(|row| (row.request, row.seq))
        .collect();
    let client = world.client().await;
    let mut unanswered = 0;
    for (open, charge, outcome) in &all {
        match outcome {
            Ok(applied) => assert_eq!(found.get(&charge.request.as_uuid()), Some(&applied.seq)),
            Err(Error::Store(StoreError::Unknown(_))) => {
                unanswered += 1;
                let again = client.charge(open, charge).await;
                assert_eq!(
                    again.replayed,
                    found.contains_key(&charge.request.as_uuid())
                );
            }
            Err(error) => panic!("a lost reply is unknown, this is {error}"),
        }
    }
    // All of them, and no other: neither twice nor from nowhere.
    assert_eq!(world.charges(&alice).await.len(), all.len());
    assert_eq!(
        world.balance(&alice).await,
        CREDITS - i64::try_from(all.len()).unwrap()
    );
    assert!(world.findings().await.is_empty());
    unanswered
}
