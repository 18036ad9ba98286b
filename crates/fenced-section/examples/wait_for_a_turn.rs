//! A second click waits for its turn, and finds the query paid for. A budget that is too short says so.

mod support;

use std::time::Duration;

use fenced_section::EnterError;
use support::{Stage, for_ms};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let stage = Stage::new().await?;
    let options = for_ms(30_000)?;
    let first = stage.sections.enter(&stage.resource, &options).await?;
    println!("the first click entered under fence {}", first.fence());

    // The budget is the caller's patience. It has nothing to do with the TTL.
    let impatient = options.with_budget(Duration::from_millis(200));
    match stage.sections.enter(&stage.resource, &impatient).await {
        Err(EnterError::Held { by, remaining, .. }) => {
            let is_long = remaining > Duration::from_secs(5);
            println!("after 200 ms: held under fence {by}, for seconds more: {is_long}");
        }
        other => anyhow::bail!("it was held: {other:?}"),
    }

    let patient = options.with_budget(Duration::from_secs(30));
    let second = async {
        let section = stage.sections.enter(&stage.resource, &patient).await?;
        println!("the second click entered under fence {}", section.fence());
        let charged = section.run(async |_| stage.charged().await).await??;
        println!("the second click finds {charged} credits charged");
        anyhow::Ok(section.leave().await)
    };
    let first = async {
        let charge = stage.charge()?;
        stage.ledger.charge(first.open()?, &charge).await?;
        println!("the first click charged 3");
        anyhow::Ok(first.leave().await)
    };
    let (second, first) = tokio::try_join!(second, first)?;
    println!("the first left: {first}");
    println!("the second left: {second}");
    Ok(())
}
