//! Two clicks on one query: the first charges for it, the second finds it paid for.

mod support;

use fenced_section::Left;
use support::{Stage, for_ms};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    click(&stage, true).await?;
    let left = click(&stage, false).await?;
    println!("{left}");
    let summary = stage.sections.summary().to_string();
    println!("{}", summary.lines().next().unwrap_or_default());
    Ok(())
}

async fn click(stage: &Stage, is_first: bool) -> anyhow::Result<Left> {
    let options = for_ms(30_000)?;
    let section = stage.sections.enter(&stage.resource, &options).await?;
    if is_first {
        println!("entered under fence {}", section.fence());
    }
    let work = section.run(async |open| {
        // Nobody older can change what is read here: the section is open.
        if stage.charged().await? > 0 {
            println!("the second click finds it paid for");
            return Ok(());
        }
        let applied = stage.ledger.charge(open, &stage.charge()?).await?;
        println!("charged 3, balance {}", applied.balance_after);
        anyhow::Ok(())
    });
    let done = work.await;
    // Left first, whatever came of the work.
    let left = section.leave().await;
    done??;
    Ok(left)
}
