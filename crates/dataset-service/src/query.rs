//! What a customer asks, and where the answer comes from.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgPool};

use crate::deadline::Silent;
use crate::{Id, Problem, deadline};

/// The last day of a dataset.
const LAST_DAY: u16 = 366;
/// How long after the limit of a query the server may take to say that it has stopped it.
const STOPPED_WITHIN: Duration = Duration::from_secs(1);
/// Connections beyond one for each query: for readiness.
const SPARE_CONNECTIONS: u32 = 1;

/// A query over the days of a dataset, both included: 1 ≤ from ≤ to ≤ 366.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The first day.
    pub from: u16,
    /// The last day.
    pub to: u16,
}

/// Why a body asks nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidQuery {
    /// It is no JSON, or other JSON.
    #[error("a query is JSON such as {{\"from\": 1, \"to\": 30}}: {0}")]
    Json(#[from] serde_json::Error),
    /// The days are none.
    #[error("a query is about days from 1 to {LAST_DAY}, the first before the last")]
    Days,
}

/// What a query comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Findings {
    /// How many readings there are.
    pub rows: i64,
    /// Their sum.
    pub total: i64,
    /// The largest of them.
    pub largest: i64,
}

/// The datasets: where the slow queries run. The credits may well live elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Datasets {
    pool: PgPool,
    limit: Duration,
    takes: Duration,
}

impl Query {
    /// Reads a body.
    ///
    /// # Errors
    /// [`InvalidQuery`].
    pub fn read(body: &[u8]) -> Result<Query, InvalidQuery> {
        let query: Query = serde_json::from_slice(body)?;
        match query {
            Query { from, to } if 1 <= from && from <= to && to <= LAST_DAY => Ok(query),
            _ => Err(InvalidQuery::Days),
        }
    }
}

impl Datasets {
    /// Connects, for so many queries at once. `limit` bounds each query on the server itself, and `takes` is added to each,
    /// to make it slow.
    ///
    /// The pool is the queries' own: a slow query must never keep a charge waiting for a connection.
    pub(crate) async fn connect(
        url: &str,
        at_once: u32,
        limit: Duration,
        takes: Duration,
    ) -> Result<Datasets, sqlx::Error> {
        let options: PgConnectOptions = url.parse()?;
        let options = options
            .application_name("dataset-service queries")
            .options([
                ("statement_timeout", format!("{}ms", limit.as_millis())),
                ("default_transaction_read_only", "on".to_owned()),
            ]);
        // A query that was dropped is ended by the server, within its limit, and only then its connection answers.
        let pool = deadline::pool(limit + STOPPED_WITHIN)
            .max_connections(at_once + SPARE_CONNECTIONS)
            .acquire_timeout(limit)
            .connect_with(options)
            .await?;
        Ok(Datasets { pool, limit, takes })
    }

    /// Runs a query. Whoever drops it waits for nothing, and the server ends it within the limit; a server that does not
    /// even do that is not waited for.
    ///
    /// # Errors
    /// [`Problem::QueryTooLong`] at the limit, [`Problem::Unavailable`] otherwise.
    pub(crate) async fn run(&self, dataset: &Id, query: Query) -> Result<Findings, Problem> {
        let silent = |silent: Silent| Problem::Unavailable {
            what: "the dataset",
            cause: silent.into(),
        };
        let within = self.limit + STOPPED_WITHIN;
        deadline::answered(within, self.ask(dataset, query), silent).await
    }

    /// Returns when the server of the datasets answers; there is a connection for that beside those of the queries.
    ///
    /// # Errors
    /// What keeps it from that.
    pub(crate) async fn answers(&self) -> Result<(), sqlx::Error> {
        self.pool.acquire().await?.ping().await
    }

    async fn ask(&self, dataset: &Id, query: Query) -> Result<Findings, Problem> {
        let connection = self.pool.acquire().await;
        let mut connection = connection.map_err(|error| self.not_found(error, Duration::ZERO))?;
        let began = Instant::now();
        let found = sqlx::query_as(include_str!("../sql/run.sql"))
            .bind(dataset.as_str())
            .bind(i32::from(query.from))
            .bind(i32::from(query.to))
            .bind(self.takes.as_secs_f64())
            .fetch_one(&mut *connection)
            .await;
        found.map_err(|error| self.not_found(error, began.elapsed()))
    }

    /// The same SQLSTATE says that the limit was reached, and that somebody has ended the query (`pg_cancel_backend`);
    /// they differ in nothing but a text, which the server may say in any language. So time tells them apart: what has
    /// not taken as long as the limit was not stopped by it.
    fn not_found(&self, error: sqlx::Error, took: Duration) -> Problem {
        const ENDED: &str = "57014";
        let code = error.as_database_error().and_then(|answer| answer.code());
        match code.as_deref() == Some(ENDED) && took >= self.limit {
            true => Problem::QueryTooLong { limit: self.limit },
            false => Problem::Unavailable {
                what: "the dataset",
                cause: error.into(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_about_days_that_a_year_has() {
        assert_eq!(
            Query::read(br#"{"from": 1, "to": 366}"#).unwrap(),
            Query { from: 1, to: 366 }
        );
        for none in [
            "",
            "[]",
            "{}",
            r#"{"from":0,"to":1}"#,
            r#"{"from":2,"to":1}"#,
            r#"{"from":1,"to":367}"#,
            r#"{"from":1,"to":2,"as":"admin"}"#,
            r#"{"from":-1,"to":2}"#,
            r#"{"from":1.5,"to":2}"#,
        ] {
            assert!(Query::read(none.as_bytes()).is_err(), "{none}");
        }
    }
}
