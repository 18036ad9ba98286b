//! A transaction that was admitted.

use std::fmt;
use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, Postgres, Transaction};

use crate::error::StoreError;

/// A transaction that was admitted by the guard; [`Guard::begin`](crate::Guard::begin) makes it.
///
/// It derefs to the connection, so `query`, `query_as` and savepoints work as usual. Until it ends, no
/// successor can open the resource. Dropping it rolls back.
///
/// Behind a transaction pooler ([`GuardOptions::pooled`](crate::GuardOptions::pooled)) your own
/// statements must have no name, either: `.persistent(false)` on each, or a pool whose connect options
/// set `statement_cache_capacity(0)`.
pub struct GuardedTx {
    pub(crate) tx: Transaction<'static, Postgres>,
    pub(crate) pooled: bool,
}

impl GuardedTx {
    /// Commits: a look whether the transaction is still the admitted one, and COMMIT.
    ///
    /// The look is there because Postgres answers the COMMIT of a transaction in which a statement has
    /// failed with success, and rolls it back; and because a `commit` or `rollback` that was executed as
    /// a statement leaves what comes after it unguarded. Neither must be told as "written".
    ///
    /// # Errors
    /// [`StoreError::Unknown`] when the reply was lost: whether it committed must be looked up under a
    /// newer opening; [`StoreError::Failed`] when a statement had failed before, or when Postgres said
    /// no: nothing of the transaction was written; [`StoreError::Misuse`] (`ZF002`) when a statement had
    /// ended the transaction.
    pub async fn commit(mut self) -> Result<(), StoreError> {
        let look = "select coalesce(current_setting('fence.admitted', true), '') <> ''";
        let look = sqlx::query_scalar(look).persistent(!self.pooled);
        if !look.fetch_one(&mut *self.tx).await? {
            return Err(StoreError::Misuse {
                sqlstate: "ZF002".to_owned(),
                message: "a statement has ended the admitted transaction, what came after it was not guarded"
                    .to_owned(),
            });
        }
        Ok(self.tx.commit().await?)
    }

    /// Whether its connection is one of a transaction pooler, so that no statement may have a name.
    pub fn is_pooled(&self) -> bool {
        self.pooled
    }

    /// Rolls back.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer; the transaction is rolled back all the same.
    pub async fn rollback(self) -> Result<(), StoreError> {
        Ok(self.tx.rollback().await?)
    }
}

impl Deref for GuardedTx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.tx
    }
}

impl DerefMut for GuardedTx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.tx
    }
}

impl fmt::Debug for GuardedTx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedTx").finish_non_exhaustive()
    }
}
