//! Two holders write one report, and the first comes late.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use fence_guard::{Fence, Guard, Holder, OpenPermit, Permit, SCHEMA};
use sqlx::{PgPool, migrate::Migrator};
use uuid::Uuid;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let pool = PgPool::connect(&std::env::var("DATABASE_URL")?).await?;
    // The guard first: the service's own migrations call it.
    fence_guard::install(&pool, &[SCHEMA]).await?;
    let migrations = Migrator::new(Path::new("migrations")).await?;
    migrations.run(&pool).await?;
    let guard = Guard::new(pool);

    let early = open(&guard).await?;
    set(&guard, &early, "draft").await?;
    let late = open(&guard).await?; // takes over: early has not closed
    set(&guard, &late, "published").await?;
    set(&guard, &early, "draft again").await?;
    guard.close(&late, 0).await?;
    Ok(())
}

/// Opens before the first read. A lease numbers its holders; these are numbered by hand.
async fn open(guard: &Guard) -> Result<OpenPermit, Box<dyn Error>> {
    let report = "report:2026-11".parse()?;
    let fence = Fence::new(guard.mark(&report).await?.get() + 1)?;
    let permit = Permit::new(report, fence, Holder::random());
    Ok(guard.open(&permit, Duration::from_secs(30)).await?)
}

/// Writes under the opening, or says who has overtaken it.
async fn set(guard: &Guard, open: &OpenPermit, state: &str) -> Result<(), Box<dyn Error>> {
    let within = Duration::from_secs(5);
    match guard.begin(open, "set state", Uuid::nil(), within).await {
        Ok(mut tx) => {
            let upsert = "insert into report values ($1, $2)
                          on conflict (resource) do update set state = $2";
            let query = sqlx::query(upsert).bind(open.permit().resource().as_str());
            query.bind(state).execute(&mut *tx).await?;
            tx.commit().await?;
            println!("{state}: written under fence {}", open.permit().fence());
        }
        Err(fence_guard::Error::Refused(refusal)) => println!("{state}: {refusal}"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
