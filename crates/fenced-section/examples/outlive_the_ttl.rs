//! Work that takes several TTLs: the lease is renewed for its holder, up to a longest hold.

mod support;

use std::future::pending;
use std::time::Duration;

use support::{Stage, for_ms};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let stage = Stage::new().await?;

    // A short TTL: a holder that dies keeps others out for a second. A long hold: the work may take a minute.
    let options = for_ms(1_000)?.kept_for(Duration::from_secs(60));
    let section = stage.sections.enter(&stage.resource, &options).await?;
    println!(
        "entered under fence {}, with a lease of 1000 ms",
        section.fence()
    );
    let work = section.run(async |open| {
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        println!("the slow query took 2500 ms");
        stage.ledger.charge(open, &stage.charge()?).await?;
        anyhow::Ok(())
    });
    work.await??;
    println!("charged {}", stage.charged().await?);
    println!("left: {}", section.leave().await);

    // Whoever is stuck does not hold for ever.
    let options = for_ms(1_000)?.kept_for(Duration::from_millis(3_000));
    let stuck = stage.sections.enter(&stage.resource, &options).await?;
    println!("entered under fence {}, for 3000 ms at most", stuck.fence());
    if stuck.run(|_| pending::<()>()).await.is_err() {
        println!("the stuck work was dropped, its lease is lost");
    }
    println!("left, overrun: {}", stuck.leave().await.overrun);

    // Measured by the TTL, for whoever chooses it: both outlived it, and one its longest hold.
    println!("{}", stage.sections.summary());
    Ok(())
}
