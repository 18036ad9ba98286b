//! Redis is down: fail closed, work without the right to charge, or let the guard mint the fence.

mod support;

use anyhow::Context;
use fenced_section::EnterError;
use support::{Stage, for_ms};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut stage = Stage::new().await?;
    let options = for_ms(30_000)?;
    let redis = stage.pair.redis_server().context("a private Redis")?;
    redis.stop()?;

    // 1. Fail closed.
    let refused = stage.sections.enter(&stage.resource, &options).await;
    if let Err(error @ EnterError::Redis(_)) = refused {
        println!("enter: {error}");
    }

    // 2. Go on without a lock and without a permit.
    let answer = stage.sections.run_unfenced(async { "the answer" }).await;
    println!("run_unfenced: {answer}, not charged for");

    // 3. Go on as safely as ever.
    let minted = stage.sections.enter_from_guard(&stage.resource, &options);
    let section = minted.await?;
    let charge = stage.charge()?;
    stage.ledger.charge(section.open()?, &charge).await?;
    let fence = section.fence();
    println!("enter_from_guard: entered under fence {fence}, charged 3");
    let other = stage.sections.enter_from_guard(&stage.resource, &options);
    if let Err(EnterError::Busy { .. }) = other.await {
        println!("another one meanwhile: busy");
    }

    let redis = stage.pair.redis_server().context("a private Redis")?;
    redis.restart()?;
    let other = stage.sections.enter(&stage.resource, &options).await;
    if let Err(EnterError::Busy { .. }) = other {
        println!("Redis is back, a new lease meanwhile: busy");
    }
    println!("left: {}", section.leave().await);
    let section = stage.sections.enter(&stage.resource, &options).await?;
    println!("enter: entered under fence {}", section.fence());
    section.leave().await;
    Ok(())
}
