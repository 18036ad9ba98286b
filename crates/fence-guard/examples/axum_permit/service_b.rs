//! Service B: writes reports, for whoever has opened them.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::put;
use fence_guard::http::{FencePermit, Problem};
use fence_guard::{Guard, Resource};
use tokio::net::TcpListener;
use uuid::Uuid;

/// Serves on a port of its own until the process ends.
pub(crate) async fn serve(guard: Guard) -> anyhow::Result<SocketAddr> {
    let router = Router::new()
        .route("/reports/{resource}", put(set_state))
        .with_state(guard);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

/// B opens nothing: it writes under the opening that came with the request, or not at all.
async fn set_state(
    State(guard): State<Guard>,
    Path(resource): Path<Resource>,
    permit: FencePermit,
    state: String,
) -> Result<String, Problem> {
    let open = permit.open_for(&resource)?;
    let admitted = guard.begin(open, "set_state", Uuid::nil(), Duration::from_secs(5));
    let mut tx = admitted.await?;
    sqlx::query(
        "insert into report values ($1, $2) on conflict (resource) do update set state = $2",
    )
    .bind(resource.as_str())
    .bind(&state)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(format!("{state}, under fence {}", permit.fence()))
}
