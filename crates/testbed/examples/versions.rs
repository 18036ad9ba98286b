//! Finds or starts a pair, and tells where it comes from and what it is.

use testbed::{Options, Pair};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pair = Pair::start(&Options::throw_away())?;
    println!("{}: {}", pair.origin(), pair.versions().await?);
    for notice in pair.notices() {
        println!("{notice}");
    }
    Ok(())
}
