//! A charge was sent and nobody knows what became of it. Resolving finds out, for good.

mod support;

use fence_guard::OpenPermit;
use support::{Stage, for_ms};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let (sections, options) = (&stage.sections, for_ms(30_000)?);
    let look = async |_: &OpenPermit| stage.charged().await;

    // The permit is stored with the job; the charge is still on its way when its process is given up.
    let attempt = sections.enter(&stage.resource, &options).await?;
    let stored = attempt.permit().clone();
    println!("the attempt under fence {} is unknown", stored.fence());

    let resolved = sections.resolve(&stored, &options, look).await?;
    let (section, found) = (resolved.section, resolved.found?);
    println!("resolved under fence {}: charged {found}", section.fence());
    // Absent means that it never comes: the late charge is refused.
    match stage.ledger.charge(attempt.open()?, &stage.charge()?).await {
        Err(refused) => println!("the attempt comes late: {refused}"),
        Ok(_) => anyhow::bail!("what was absent was applied"),
    }
    stage
        .ledger
        .charge(section.open()?, &stage.charge()?)
        .await?;
    println!("done again: charged 3");

    // The same question later, or from elsewhere, has the same answer.
    let (stored, _) = (section.permit().clone(), section.leave().await);
    let resolved = sections.resolve(&stored, &options, look).await?;
    let fence = resolved.section.fence();
    println!("resolved under fence {fence}: charged {}", resolved.found?);
    resolved.section.leave().await;
    Ok(())
}
