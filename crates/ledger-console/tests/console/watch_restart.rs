//! `ledger watch` while Postgres is killed and comes back.

use promises::{World, permit};
use testbed::{Options, PostgresServer};

use crate::watch::Watching;

#[tokio::test]
async fn no_row_is_lost_or_told_twice_over_kill_nine_of_postgres() {
    let mut server = PostgresServer::start(&Options::throw_away()).unwrap();
    let url = server.url().to_owned();
    World::at(&url).await;
    let mut watching = Watching::start(&url, &[]).await;
    let mut expected = Vec::new();
    for round in 0..2 {
        let before = world_opens(&url, round, 0..3).await;
        for fence in &before {
            assert_eq!(watching.next().await["fence"], fence.to_string());
        }
        // Nobody has been told of these yet, perhaps, when it is killed.
        let meanwhile = world_opens(&url, round, 3..6).await;
        server.kill_nine().unwrap();
        watching.until_said("goes on when it is back").await;
        server.restart().unwrap();
        let after = world_opens(&url, round, 6..9).await;
        for fence in meanwhile.iter().chain(&after) {
            assert_eq!(watching.next().await["fence"], fence.to_string());
        }
        watching.until_said("Postgres is back").await;
        expected.extend([before, meanwhile, after].concat());
    }
    assert_eq!(watching.end().await, (Some(0), vec![]));
    let world = World::at(&url).await;
    assert_eq!(world.openings("r").await.len(), expected.len());
}

/// Opens `r` under the next fences, on a connection of its own: those of before are gone.
async fn world_opens(url: &str, round: u64, which: std::ops::Range<u64>) -> Vec<u64> {
    let client = World::at(url).await.client().await;
    let mut fences = Vec::new();
    for number in which {
        let fence = round * 10 + number + 1;
        client.open(&permit("r", fence)).await;
        fences.push(fence);
    }
    fences
}
