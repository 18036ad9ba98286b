//! What the servers say that they are.

use std::fmt;

use sqlx::{ConnectOptions, Connection};

use super::redacted;
use crate::{Error, Pair};

/// The versions of a pair, as the servers themselves report them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// Such as `Redis 7.0.15` or `Valkey 9.1.2`.
    pub redis: String,
    /// Such as `PostgreSQL 15.18`.
    pub postgres: String,
}

impl Pair {
    /// Asks both servers for their versions.
    ///
    /// # Errors
    /// [`Error::Redis`] or [`Error::Postgres`] when one of them does not answer.
    pub async fn versions(&self) -> Result<Versions, Error> {
        let redis = redis_version(self.redis_url()).await;
        let postgres = postgres_version(self.database_url()).await;
        Ok(Versions {
            redis: redis.map_err(|source| Error::Redis {
                url: redacted(self.redis_url()),
                source,
            })?,
            postgres: postgres.map_err(|source| Error::Postgres {
                url: redacted(self.database_url()),
                source,
            })?,
        })
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.redis, self.postgres)
    }
}

async fn redis_version(url: &str) -> Result<String, redis::RedisError> {
    let client = redis::Client::open(url)?;
    let mut connection = client.get_multiplexed_async_connection().await?;
    let mut command = redis::cmd("INFO");
    let info: String = command.arg("server").query_async(&mut connection).await?;
    Ok(redis_name(&info))
}

/// Valkey goes on reporting the Redis version that it is compatible with; its own stands beside it.
fn redis_name(info: &str) -> String {
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name));
    match (field("valkey_version:"), field("redis_version:")) {
        (Some(version), _) => format!("Valkey {version}"),
        (None, Some(version)) => format!("Redis {version}"),
        (None, None) => "Redis (it does not tell its version)".to_owned(),
    }
}

async fn postgres_version(url: &str) -> Result<String, sqlx::Error> {
    let options: sqlx::postgres::PgConnectOptions = url.parse()?;
    let mut connection = options.connect().await?;
    let version: String = sqlx::query_scalar("show server_version")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    // Packagers add their own version in parentheses.
    let version = version.split(' ').next().unwrap_or_default();
    Ok(format!("PostgreSQL {version}"))
}

#[cfg(test)]
mod tests {
    use super::redis_name;

    #[test]
    fn valkey_is_not_taken_for_the_redis_that_it_is_compatible_with() {
        let info =
            "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2\r\n";
        assert_eq!(redis_name(info), "Valkey 9.1.2");
        assert_eq!(redis_name("redis_version:7.0.15\r\n"), "Redis 7.0.15");
    }
}
