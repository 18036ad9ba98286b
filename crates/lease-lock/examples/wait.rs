//! Wait for a lease that others have: first come, first served, and a budget that runs out.
//!
//! `cargo run -p lease-lock --example wait`, with or without `REDIS_URL`.

use std::error::Error;
use std::time::Duration;

use lease_lock::{AcquireError, Attempt, Floor, LeaseLock, Prefix, Ttl};

#[path = "shared/server.rs"]
mod server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = server::Server::find()?;
    let lock = LeaseLock::connect(server.url(), Prefix::new("example:")?).await?;
    let resource = server::resource()?;
    let attempt = || {
        let ttl = Ttl::from_millis(10_000).expect("ten seconds are a ttl");
        Attempt::new(resource.clone(), ttl).with_floor(Floor::ZERO)
    };

    let first = lock.try_acquire(&attempt()).await?;
    println!("the first one has it");

    // The budget is how long the caller waits; the TTL is how long it may hold. Here it runs out.
    match lock
        .acquire_within(&attempt(), Duration::from_millis(200))
        .await
    {
        Err(AcquireError::Held { remaining, .. }) => {
            let more = remaining > Duration::from_secs(5);
            println!("the impatient one was told that it is held; for seconds more: {more}");
        }
        other => println!("unexpected: {other:?}"),
    }

    let patient = {
        let (lock, attempt) = (lock.clone(), attempt());
        tokio::spawn(async move { lock.acquire_within(&attempt, Duration::from_secs(5)).await })
    };
    tokio::time::sleep(Duration::from_millis(200)).await;
    let fence = first.fence();
    println!("the first one gives it back: {:?}", first.release().await?);
    let second = patient.await??;
    println!(
        "the patient one has it, under a higher fence: {}",
        second.fence() > fence
    );
    println!("and gives it back: {:?}", second.release().await?);
    Ok(())
}
