//! Who keeps an opening waiting.

use std::fmt;

use fence::Resource;
use sqlx::types::time::OffsetDateTime;

use crate::error::{Error, StoreError};
use crate::store::Store;

/// Who holds a resource's lock: a writer in flight, or another opening. It is a session, which has a `pid`, or a
/// prepared transaction (`PREPARE TRANSACTION`), which has a `prepared_gid`.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[non_exhaustive]
pub struct Blocker {
    /// The server process of the session (`pg_terminate_backend` takes it); `None` for a prepared transaction.
    pub pid: Option<i32>,
    /// What its client calls itself.
    pub application_name: Option<String>,
    /// `active`, `idle in transaction` …, or `prepared`; `None` where the schema's owner may not see it.
    pub state: Option<String>,
    /// Since when its transaction has been open, or prepared; `None` likewise.
    pub in_transaction_since: Option<OffsetDateTime>,
    /// The name of a prepared transaction. It has no session to end and no timeout; only `COMMIT PREPARED` or
    /// `ROLLBACK PREPARED` of this name lets go of the resource.
    pub prepared_gid: Option<String>,
}

impl fmt::Display for Blocker {
    /// The session's number and state, or what to send to end a prepared transaction: `rollback prepared 'order 7'`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.as_deref().unwrap_or("state not visible");
        match (&self.prepared_gid, self.pid) {
            (Some(gid), _) => {
                let literal = gid.replace('\'', "''");
                write!(f, "a prepared transaction (rollback prepared '{literal}')")
            }
            (None, Some(pid)) => write!(f, "{pid} ({state})"),
            (None, None) => write!(f, "a session without a number ({state})"),
        }
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
        Err(error) if error.has_failed_with(LOCK_NOT_AVAILABLE) => {
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
