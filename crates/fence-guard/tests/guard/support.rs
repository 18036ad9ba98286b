//! What the tests of the guard share beside the world of the promises.

use std::time::{Duration, Instant};

use promises::LOOK_EVERY;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

/// A pool of at most so many connections, which are not asked whether they are alive: as
/// `Guard::connect` has it.
pub(crate) async fn pool(url: &str, connections: u32) -> PgPool {
    PgPoolOptions::new()
        .max_connections(connections)
        .test_before_acquire(false)
        .connect(url)
        .await
        .unwrap()
}

/// How many locks a backend holds or waits for, on whatever. An idle one outside a transaction has
/// none.
pub(crate) async fn locks_of(pool: &PgPool, pid: i32) -> i64 {
    sqlx::query_scalar("select count(*) from pg_locks where pid = $1")
        .bind(pid)
        .fetch_one(pool)
        .await
        .unwrap()
}

/// Asks Postgres again and again until it tells something.
///
/// # Panics
/// When it has not told by the end of `bound`.
pub(crate) async fn until_told<T, Q>(what: &str, bound: Duration, ask: impl Fn() -> Q) -> T
where
    Q: Future<Output = Option<T>>,
{
    let deadline = Instant::now() + bound;
    loop {
        if let Some(told) = ask().await {
            return told;
        }
        assert!(Instant::now() < deadline, "{what}: not within {bound:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
