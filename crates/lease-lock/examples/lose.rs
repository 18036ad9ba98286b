//! Lose a lease: the loss is raised in time, the permit is refused, and a late release harms nobody.
//!
//! `cargo run -p lease-lock --example lose`, with or without `REDIS_URL`.

use std::error::Error;
use std::time::Duration;

use lease_lock::{Attempt, Floor, LeaseLock, Prefix, Released, Ttl};

#[path = "shared/server.rs"]
mod server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = server::Server::find()?;
    let lock = LeaseLock::connect(server.url(), Prefix::new("example:")?).await?;
    let resource = server::resource()?;
    let attempt = |ttl_ms| -> Result<Attempt, lease_lock::InvalidTtl> {
        Ok(Attempt::new(resource.clone(), Ttl::from_millis(ttl_ms)?).with_floor(Floor::ZERO))
    };

    let late = lock.try_acquire(&attempt(1_000)?).await?;
    let in_hand = late.permit()?;
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(60)) => println!("the work is done"),
        () = late.lost() => println!("the work outlived its lease, and stops"),
    }
    println!(
        "a permit now: {}",
        if late.permit().is_ok() {
            "given"
        } else {
            "refused"
        }
    );

    let patience = Duration::from_secs(5);
    let successor = lock.acquire_within(&attempt(10_000)?, patience).await?;
    println!(
        "a successor has a higher fence: {}",
        successor.fence() > in_hand.fence()
    );
    match late.release().await? {
        Released::TakenOver { by } if by == successor.fence() => {
            println!("the late release was told who has taken over, and freed nothing");
        }
        other => println!("unexpected: {other:?}"),
    }
    // The permit that is still in hand is what only the guard can refuse: see `fence-guard`.
    println!(
        "the successor gives it back: {:?}",
        successor.release().await?
    );
    Ok(())
}
