//! Two datasets for one query: both resources are entered, or none.

mod support;

use std::error::Error;
use std::time::Duration;

use support::{Stage, for_ms};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let (sections, options) = (&stage.sections, for_ms(30_000)?);
    let both = ["user:7:dataset:41".parse()?, "user:7:dataset:42".parse()?];

    let set = sections.enter_all(&both, &options).await?;
    let done = set.run(async |open| {
        // Each write goes under the opening of what it belongs to.
        stage.ledger.charge(open[0], &stage.charge()?).await?;
        stage.ledger.charge(open[1], &stage.charge()?).await?;
        anyhow::Ok(())
    });
    done.await??;
    println!("entered both, charged {}", stage.charged().await?);
    for (section, left) in both.iter().zip(set.leave().await) {
        println!("{section}: {left}");
    }

    // All or nothing.
    let second = sections.enter(&both[1], &options).await?;
    if let Err(error) = sections.enter_all(&both, &options).await {
        let cause = error.source().map(|source| source.to_string());
        let cause = cause.unwrap_or_default();
        println!("{error}");
        println!(
            "because {}",
            cause.split(" for ").next().unwrap_or_default()
        );
    }
    println!("left: {}", second.leave().await);

    // Named in crossing orders: the leases are taken in the order of the names, so neither gets stuck.
    let crossing = [both[1].clone(), both[0].clone()];
    let patient = options.with_budget(Duration::from_secs(30));
    let one = async { anyhow::Ok(sections.enter_all(&both, &patient).await?.leave().await) };
    let other = async { anyhow::Ok(sections.enter_all(&crossing, &patient).await?.leave().await) };
    let (one, other) = tokio::try_join!(one, other)?;
    let are_clean = one.iter().chain(&other).all(|left| left.is_clean());
    println!("two with crossing orders, both in time: {are_clean}");
    Ok(())
}
