//! How long Postgres may say nothing.
//!
//! A server that takes a statement and never answers looks like one that is slow: a COMMIT that waits for a standby that
//! is gone, a primary that has lost its power and closes no connection. A bound on connecting sees neither, so each step
//! has a deadline of its own, and each connection that comes back is asked, within a bound, whether it is alive.

use std::io;
use std::time::Duration;

use sqlx::Connection;
use sqlx::pool::PoolOptions;
use sqlx::postgres::{PgPoolOptions, Postgres};
use tokio::time::timeout;

use crate::Problem;

/// How long one step in Postgres may take: a look, an opening, a hold, a charge with its second try. Longer than it takes
/// to be told that no connection is to be had, and than the guard waits for writers in flight.
pub(crate) const STEP_WITHIN: Duration = Duration::from_secs(4);

/// Why a step was not waited for any longer.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {} ms", .within.as_millis())]
pub(crate) struct Silent {
    within: Duration,
}

/// Awaits a step for [`STEP_WITHIN`]. Not for a charge: of that it is then unknown whether it was made.
///
/// # Errors
/// [`Problem::Unavailable`] when it is over, and those of the step.
pub(crate) async fn step<T>(step: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    let silent = |silent: Silent| Problem::Unavailable {
        what: "Postgres",
        cause: silent.into(),
    };
    answered(STEP_WITHIN, step, silent).await
}

/// Awaits what a server answers, for so long; what is dropped then is a problem of the caller's choice.
///
/// # Errors
/// That problem, and those of the step.
pub(crate) async fn answered<T>(
    within: Duration,
    step: impl Future<Output = Result<T, Problem>>,
    otherwise: impl FnOnce(Silent) -> Problem,
) -> Result<T, Problem> {
    match timeout(within, step).await {
        Ok(answer) => answer,
        Err(_) => Err(otherwise(Silent { within })),
    }
}

/// A pool that closes a connection which does not answer within this time of its return. Left to itself sqlx asks
/// without a bound, and each connection to a silent server would be one less, for good.
pub(crate) fn pool(alive_within: Duration) -> PoolOptions<Postgres> {
    PgPoolOptions::new().after_release(move |connection, _| {
        Box::pin(async move {
            match timeout(alive_within, connection.ping()).await {
                Ok(alive) => alive.map(|()| true),
                Err(_) => Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())),
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use testbed::Proxy;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_connection_to_a_silent_server_is_closed_and_makes_room_for_another() {
        let database = testbed::database("silent_pool").await;
        let proxy = Proxy::to(database.url()).await;
        let pool = pool(Duration::from_millis(50)).max_connections(1);
        let pool = pool.connect(&proxy.url(database.url())).await.unwrap();
        let connection = pool.acquire().await.unwrap();
        proxy.hold_replies();
        drop(connection);
        let closed = async {
            while pool.size() > 0 {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, closed).await.expect("it is closed");
    }
}
