//! Whose turn it is: installs come one after the other, and none waits for another one without end.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};

use super::{InstallError, functions::is};

/// Waits for the installs before this one, for so long at most; false where they have not ended by then.
///
/// A shorter `lock_timeout` of the connection stays. What comes after the turn, migrations above all, waits for its
/// locks as long as the connection says.
pub(super) async fn wait(conn: &mut PgConnection, at_most: Duration) -> Result<bool, sqlx::Error> {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    let before: i64 =
        sqlx::query_scalar("select setting::bigint from pg_settings where name = 'lock_timeout'")
            .fetch_one(&mut *conn)
            .await?;
    // Zero would be no limit.
    let mut limit = i64::try_from(at_most.as_millis()).unwrap_or(i64::MAX);
    limit = limit.clamp(1, i32::MAX.into());
    if before > 0 {
        limit = limit.min(before);
    }
    set_lock_timeout(conn, limit).await?;
    let turn = sqlx::query("select pg_advisory_xact_lock(hashtextextended('fence.install', 0))")
        .execute(&mut *conn)
        .await;
    match turn {
        Ok(_) => set_lock_timeout(conn, before).await.map(|()| true),
        Err(error) if is(&error, LOCK_NOT_AVAILABLE) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Says who is in the way.
pub(super) async fn blocked(pool: &PgPool) -> InstallError {
    let holders = sqlx::query_scalar(include_str!("../../../../sql/guard/install/holders.sql"))
        .fetch_all(pool)
        .await;
    match holders {
        Ok(holders) => InstallError::Blocked { holders },
        Err(error) => error.into(),
    }
}

async fn set_lock_timeout(conn: &mut PgConnection, ms: i64) -> Result<(), sqlx::Error> {
    sqlx::query("select set_config('lock_timeout', $1, true)")
        .bind(ms.to_string())
        .execute(conn)
        .await
        .map(drop)
}

/// The backends in words.
pub(super) fn sessions(holders: &[i32]) -> String {
    if holders.is_empty() {
        return "a session that has ended just now".to_owned();
    }
    let pids: Vec<String> = holders.iter().map(i32::to_string).collect();
    format!("backend {}", pids.join(", "))
}
