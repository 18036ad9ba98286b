//! A's work takes longer than its lease. B takes over, and A's late charge is refused.

mod support;

use std::future::pending;

use support::{Stage, for_ms};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let sections = &stage.sections;

    let a = sections.enter(&stage.resource, &for_ms(1_000)?).await?;
    println!("A entered under fence {}", a.fence());
    // Kept beyond the section's time, as a task would that `run` does not reach.
    let kept = a.run(|open| async move { open }).await?;
    let slow_query = a.run(async |_| pending::<()>().await);
    if slow_query.await.is_err() {
        println!("A's work was dropped, its lease is lost");
    }

    let b = enter_after(&stage).await?;
    println!(
        "B entered under fence {}, over an opening that was not closed",
        b.fence()
    );
    stage.ledger.charge(b.open()?, &stage.charge()?).await?;
    match stage.ledger.charge(kept, &stage.charge()?).await {
        Err(refused) => println!("A's late charge: {refused}"),
        Ok(_) => anyhow::bail!("A charged twice"),
    }

    println!("A left: {}", a.leave().await);
    println!("B left: {}", b.leave().await);
    let balance = stage.ledger.balance(&stage.account).await?;
    println!("balance {}", balance.unwrap_or_default());
    Ok(())
}

/// B comes when Redis has let A's lease end, which is a little after A has stopped to trust it.
async fn enter_after(stage: &Stage) -> anyhow::Result<fenced_section::Section> {
    loop {
        match stage
            .sections
            .enter(&stage.resource, &for_ms(30_000)?)
            .await
        {
            Err(fenced_section::EnterError::Held { remaining, .. }) => {
                tokio::time::sleep(remaining).await;
            }
            other => return Ok(other?),
        }
    }
}
