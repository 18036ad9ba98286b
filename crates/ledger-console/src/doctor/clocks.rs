//! How far the clocks of the two servers are apart.

use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use time::OffsetDateTime;

use super::Diagnosis;
use super::Severity::{Fine, Note, Warning};
use crate::database::Database;

/// How often each is asked. The quickest answer is the most exact one.
const TIMES: usize = 5;
/// How long Redis may take for all its answers.
const WITHIN: Duration = Duration::from_secs(5);
/// Beyond this the logs of the two cannot be read side by side.
const APART: f64 = 1.0;
/// What holds whatever the clocks say.
const LIVENESS: &str = "clocks decide liveness and figures, never safety";

/// A server's clock against this machine's.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// Ahead of this machine's, in seconds.
    ahead: f64,
    /// By how much that may be wrong either way, in seconds: half of the round trip.
    give_or_take: f64,
}

pub(super) async fn look(database: &Database, redis_url: &str) -> Result<Diagnosis, crate::Error> {
    let postgres = of_postgres(database).await?;
    let redis = tokio::time::timeout(WITHIN, of_redis(redis_url)).await;
    Ok(match redis {
        Ok(Ok(redis)) => judge(postgres, redis),
        Ok(Err(error)) => unread(&error.to_string()),
        Err(_) => unread("Redis did not tell its time"),
    })
}

fn judge(postgres: Reading, redis: Reading) -> Diagnosis {
    let ahead_ms = (postgres.ahead - redis.ahead) * 1e3;
    let give_or_take_ms = (postgres.give_or_take + redis.give_or_take) * 1e3;
    let observed = format!(
        "Postgres is {ahead_ms:+.1} ms ahead of Redis, give or take {give_or_take_ms:.1} ms"
    );
    if (ahead_ms.abs() - give_or_take_ms) / 1e3 <= APART {
        return Diagnosis::new(Fine, "clocks", observed, LIVENESS);
    }
    let meaning = format!(
        "{LIVENESS}; but logs and rows of the two cannot be read side by side. Let both follow NTP"
    );
    Diagnosis::new(Note, "clocks", observed, meaning)
}

fn unread(why: &str) -> Diagnosis {
    let meaning = format!("how far the clocks are apart is unknown; {LIVENESS}");
    Diagnosis::new(Warning, "clocks", why, meaning)
}

async fn of_postgres(database: &Database) -> Result<Reading, crate::Error> {
    let mut best = None;
    for _ in 0..TIMES {
        let asked = Asked::now();
        let told = database.now().await?;
        best = asked.better(best, told);
    }
    Ok(best.expect("it was asked at least once"))
}

async fn of_redis(url: &str) -> redis::RedisResult<Reading> {
    let client = redis::Client::open(url)?;
    let mut connection: MultiplexedConnection = client.get_multiplexed_async_connection().await?;
    let mut best = None;
    for _ in 0..TIMES {
        let asked = Asked::now();
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query_async(&mut connection).await?;
        let nanos = (i128::from(seconds) * 1_000_000 + i128::from(micros)) * 1_000;
        let told = OffsetDateTime::from_unix_timestamp_nanos(nanos);
        best = asked.better(best, told.unwrap_or(OffsetDateTime::UNIX_EPOCH));
    }
    Ok(best.expect("it was asked at least once"))
}

/// When a server was asked, by both clocks of this machine: the one that only goes on measures the way.
struct Asked {
    at: OffsetDateTime,
    since: Instant,
}

impl Asked {
    fn now() -> Asked {
        Asked {
            at: OffsetDateTime::now_utc(),
            since: Instant::now(),
        }
    }

    /// The more exact one of the best so far and this answer, which was given about half-way.
    fn better(self, best: Option<Reading>, told: OffsetDateTime) -> Option<Reading> {
        let give_or_take = self.since.elapsed().as_secs_f64() / 2.0;
        let ahead = (told - self.at).as_seconds_f64() - give_or_take;
        let reading = Reading {
            ahead,
            give_or_take,
        };
        match best {
            Some(best) if best.give_or_take <= give_or_take => Some(best),
            _ => Some(reading),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    fn reading(ahead: f64, give_or_take: f64) -> Reading {
        Reading {
            ahead,
            give_or_take,
        }
    }

    #[test]
    fn clocks_apart_by_more_than_what_is_not_known_are_told_and_no_finding() {
        let near = judge(reading(100.2, 0.1), reading(100.0, 0.1));
        assert_eq!(near.severity, Severity::Fine);
        assert_eq!(
            near.observed,
            "Postgres is +200.0 ms ahead of Redis, give or take 200.0 ms"
        );
        let far = judge(reading(-5.0, 0.1), reading(0.0, 0.1));
        assert_eq!(far.severity, Severity::Note);
        assert!(far.meaning.starts_with(LIVENESS), "{}", far.meaning);
        let who_knows = judge(reading(3.0, 2.0), reading(0.0, 0.5));
        assert_eq!(who_knows.severity, Severity::Fine);
    }
}
