//! The one thing that is polled: whether a backend of Postgres waits for another one.

use std::time::{Duration, Instant};

use sqlx::PgPool;

/// A call that has to wait for a lock is seen waiting within this time, also on a busy machine.
pub const BLOCKED_WITHIN: Duration = Duration::from_secs(10);
/// How often Postgres is asked. It tells nobody that somebody has begun to wait.
pub const LOOK_EVERY: Duration = Duration::from_millis(2);

/// The backends that `pid` waits for: those that hold what it wants, and those before it in the
/// queue. Empty while it does not wait.
pub(crate) async fn blockers(pool: &PgPool, pid: i32) -> Vec<i32> {
    sqlx::query_scalar("select pg_blocking_pids($1)")
        .bind(pid)
        .fetch_one(pool)
        .await
        .unwrap()
}

/// Returns once `pid` waits for `by`, or at once when `is_over` says that it never will.
///
/// True where it waits.
pub(crate) async fn until_blocked(
    pool: &PgPool,
    pid: i32,
    by: &[i32],
    is_over: impl Fn() -> bool,
) -> bool {
    let deadline = Instant::now() + BLOCKED_WITHIN;
    loop {
        let over = is_over();
        let blockers = blockers(pool, pid).await;
        if blockers.iter().any(|blocker| by.contains(blocker)) {
            return true;
        }
        if over {
            return false;
        }
        assert!(
            Instant::now() < deadline,
            "backend {pid} did not wait for {by:?} within {BLOCKED_WITHIN:?}, but for {blockers:?}"
        );
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
