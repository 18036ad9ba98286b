//! Service A has opened a report and lets service B write it. A is overtaken, and B answers it with 409.
//!
//! A's fences are written down here; a service gets them from a lease (`fenced-section`).

mod call;
mod service_b;

use std::net::SocketAddr;
use std::time::Duration;

use fence_guard::http::carry;
use fence_guard::{Fence, Guard, Holder, OpenPermit, Permit};
use hyper::HeaderMap;
use testbed::{Options, PostgresServer};

const REPORT: &str = "report:2026-11";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let server = PostgresServer::start(&Options::throw_away())?;
    let guard = Guard::connect(server.url()).await?;
    fence_guard::install(guard.pool(), &[fence_guard::SCHEMA]).await?;
    sqlx::raw_sql(include_str!("report.sql"))
        .execute(guard.pool())
        .await?;
    // B knows the database; of A it knows nothing but what comes with a request.
    let b = service_b::serve(Guard::connect(server.url()).await?).await?;

    let a = open(&guard, 1).await?;
    ask(b, "A", Some(&a), "draft").await?;
    println!("A sleeps, and another instance of it takes over");
    let successor = open(&guard, 2).await?;
    ask(b, "its successor", Some(&successor), "published").await?;
    println!("A wakes");
    ask(b, "A", Some(&a), "draft again").await?;
    ask(b, "somebody without a permit", None, "lost").await?;

    let state: String = sqlx::query_scalar("select state from report")
        .fetch_one(guard.pool())
        .await?;
    println!("{REPORT} is {state}");
    Ok(())
}

async fn open(guard: &Guard, fence: u64) -> anyhow::Result<OpenPermit> {
    let permit = Permit::new(REPORT.parse()?, Fence::new(fence)?, Holder::random());
    Ok(guard.open(&permit, Duration::from_secs(30)).await?)
}

/// What A does: the opening goes into the headers of the request, and that is all.
async fn ask(
    b: SocketAddr,
    who: &str,
    open: Option<&OpenPermit>,
    state: &str,
) -> anyhow::Result<()> {
    let mut headers = HeaderMap::new();
    if let Some(open) = open {
        carry(open, &mut headers);
    }
    let answer = call::put(b, &format!("/reports/{REPORT}"), &headers, state).await?;
    let (status, body) = (answer.status().as_u16(), answer.body());
    if answer.status().is_success() {
        println!("{who} asks B for {state:?}: {status} {body}");
        return Ok(());
    }
    println!("{who} asks B for {state:?}: {status}");
    let problem: serde_json::Map<String, serde_json::Value> = serde_json::from_str(body)?;
    for (member, value) in &problem {
        println!("    {member}: {value}");
    }
    Ok(())
}
