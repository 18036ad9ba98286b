//! Hold a lease for longer than its TTL: renewed by hand, then by the keeper.
//!
//! `cargo run -p lease-lock --example hold_and_renew`, with or without `REDIS_URL`.

use std::error::Error;
use std::time::Duration;

use lease_lock::{Attempt, Floor, LeaseLock, Prefix, Ttl};

#[path = "shared/server.rs"]
mod server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = server::Server::find()?;
    let lock = LeaseLock::connect(server.url(), Prefix::new("example:")?).await?;
    let ttl = Ttl::from_millis(2_000)?;
    // A service gives the guard's mark as floor; without a guard there is nothing to go on above.
    let attempt = Attempt::new(server::resource()?, ttl).with_floor(Floor::ZERO);

    let mut lease = lock.try_acquire(&attempt).await?;
    println!("acquired; a permit is given: {}", lease.permit().is_ok());
    for step in 1..=3 {
        tokio::time::sleep(Duration::from_millis(800)).await;
        lease.renew(ttl).await?;
        println!("step {step}: renewed by hand");
    }

    // From here on the keeper renews, for half a minute at most.
    let kept = lease.keep(Duration::from_secs(30));
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(3_000)) => println!("the work is done"),
        () = kept.lost() => println!("lost: another may hold it by now, stop"),
    }
    println!("still trusted: {}", kept.permit().is_ok());
    println!("released: {:?}", kept.release().await?);
    Ok(())
}
