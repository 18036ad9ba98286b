//! C32: the ledger through a transaction pooler. Eight callers share two server connections; each
//! entry is held against what its caller meant, and one that was mixed up would be another's.

use credit_ledger::{Error, Ledger};
use fence_guard::{Guard, GuardOptions};
use promises::{
    HOLD, World, account, capture, charge, grant_of, hold, permit, refund, release, within,
};
use sqlx::postgres::PgPoolOptions;
use testbed::{Options, PgBouncer, PostgresServer};
use tokio::task::JoinSet;

const CALLERS: i64 = 8;
/// So many grants, charges and looks of each caller.
const CALLS: i64 = 40;

#[tokio::test]
async fn grants_charges_and_reads_through_a_transaction_pooler_are_never_mixed_up() {
    let options = Options::throw_away().pgbouncer_config("default_pool_size", "2");
    let server = PostgresServer::start(&options).unwrap();
    let world = World::at(server.url()).await;
    let pooler = PgBouncer::start(&server, &options).unwrap();

    let mut callers = JoinSet::new();
    for who in 0..CALLERS {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false);
        let pool = pool.connect(pooler.url()).await.unwrap();
        callers.spawn(section(
            Guard::with_options(pool, GuardOptions::pooled()),
            who,
        ));
    }
    for outcome in within("calls through the pooler", callers.join_all()).await {
        outcome.unwrap();
    }
    for who in 0..CALLERS {
        let name = account(&format!("user:{who}"));
        assert_eq!(world.balance(&name).await, CALLS * (who + 10) - CALLS);
        assert!(
            world
                .charges(&name)
                .await
                .iter()
                .all(|row| row.change == if row.hold.is_some() { -who - 1 } else { -1 })
        );
    }
    assert!(world.refusals().await.is_empty());
    assert!(world.findings().await.is_empty());
}

/// Grants `who` + 10, charges 1 alone or in a transaction, and looks, in turns.
async fn section(guard: Guard, who: i64) -> Result<(), Error> {
    let ledger = Ledger::on(&guard);
    let name = account(&format!("user:{who}"));
    ledger.open_account(&name).await?;
    let mine = permit(name.as_str(), 1);
    let open = guard.open(&mine, HOLD).await.unwrap();
    for turn in 1..=CALLS {
        ledger
            .grant(&grant_of(
                credit_ledger::RequestId::random(),
                &name,
                who + 10,
            ))
            .await?;
        if turn % 2 == 0 {
            ledger.charge(&open, &charge(&name, 1)).await?;
        } else {
            let mut tx = guard
                .begin(&open, "query", uuid::Uuid::nil(), HOLD)
                .await
                .unwrap();
            ledger
                .charge_within(&mut tx, &open, &charge(&name, 1))
                .await?;
            tx.commit().await?;
        }
        // What is held and captured in part, refunded, held and released comes to nothing.
        let (kept, freed) = (hold(&name, who + 2), hold(&name, 1));
        let captured = capture(&kept, who + 1);
        ledger.hold(&open, &kept).await?;
        ledger.hold(&open, &freed).await?;
        ledger.capture(&open, &captured).await?;
        ledger.release(&open, &release(&freed)).await?;
        ledger.refund(&refund(captured.request, who + 1)).await?;
        let balance = ledger.balance(&name).await?;
        assert_eq!(balance, Some(turn * (who + 10) - turn));
    }
    guard.close(&open, 1).await.unwrap();
    Ok(())
}
