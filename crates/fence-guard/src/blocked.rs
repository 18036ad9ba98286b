//! Who keeps an opening waiting.

use std::fmt;

use fence::Resource;
use sqlx::types::time::OffsetDateTime;

use crate::error::{Error, StoreError};
use crate::store::Store;

/// A session that holds a resource's lock: a writer in flight, or another opening.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[non_exhaustive]
pub struct Blocker {
    /// The server process of the session (`pg_terminate_backend` takes it).
    pub pid: i32,
    /// What its client calls itself.
    pub application_name: Option<String>,
    /// `active`, `idle in transaction` …; `None` where the schema's owner may not see it.
    pub state: Option<String>,
    /// Since when its transaction has been open; `None` likewise.
    pub in_transaction_since: Option<OffsetDateTime>,
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({})",
            self.pid,
            self.state.as_deref().unwrap_or("state not visible")
        )
    }
}

/// What a call that waited for locks came to: a lock that did not come free names who holds it.
pub(crate) async fn explain<T>(
    result: Result<T, StoreError>,
    store: &Store,
    resource: &Resource,
) -> Result<T, Error> {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    match result {
        Ok(value) => Ok(value),
        Err(StoreError::Failed(error)) if is(&error, LOCK_NOT_AVAILABLE) => {
            let query = sqlx::query_as("select * from fence.blockers($1)");
            // Nothing has changed, whatever becomes of the question.
            let blockers = store
                .read(query.bind(resource.as_str()))
                .await
                .unwrap_or_default();
            Err(Error::Blocked { blockers })
        }
        Err(error) => Err(error.into()),
    }
}

fn is(error: &sqlx::Error, sqlstate: &str) -> bool {
    error
        .as_database_error()
        .and_then(|answer| answer.code())
        .as_deref()
        == Some(sqlstate)
}
