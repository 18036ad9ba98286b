//! What is asked, and the service's one table, which binds it to its key and keeps its answer.

use credit_ledger::RequestId;
use fence_guard::{GuardedTx, Store};
use fenced_section::Resource;
use sqlx::types::Json;

use crate::{Problem, Query, deadline};

/// A query on its way: who asks what, under which request id.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) request: RequestId,
    pub(crate) user: crate::Id,
    pub(crate) dataset: crate::Id,
    pub(crate) resource: Resource,
    pub(crate) query: Query,
}

#[derive(sqlx::FromRow)]
struct Row {
    resource: String,
    asked: Json<Query>,
    answer: Option<String>,
}

impl Asked {
    /// The answer that this very request has had, as it was sent; `None` where it has none yet.
    ///
    /// A plain read. That there *is* an answer stays true whoever looks; that there is none is a thing to
    /// decide by only after opening.
    ///
    /// # Errors
    /// [`Problem::KeyReused`] when the request has asked something else; [`Problem::Unavailable`] when there is no
    /// answer in time.
    pub(crate) async fn find_answer(&self, store: &Store) -> Result<Option<String>, Problem> {
        let found = async {
            let find = sqlx::query_as(include_str!("../sql/find.sql")).bind(self.request.as_uuid());
            let rows = store.read(find).await;
            rows.map_err(|error| Problem::from(error).without_a_charge())
        };
        let rows: Vec<Row> = deadline::step(found).await?;
        let row = rows.into_iter().next();
        row.map_or(Ok(None), |row| self.answer_in(row))
    }

    /// Binds the request to what it asks, within a guarded transaction.
    ///
    /// # Errors
    /// [`Problem::KeyReused`] when it is bound to something else.
    pub(crate) async fn bind(&self, tx: &mut GuardedTx) -> Result<(), Problem> {
        let named = !tx.is_pooled();
        let query = sqlx::query(include_str!("../sql/ask.sql"))
            .bind(self.request.as_uuid())
            .bind(self.resource.as_str())
            .bind(Json(self.query))
            .persistent(named);
        if query.execute(&mut **tx).await?.rows_affected() == 1 {
            return Ok(());
        }
        let row: Row = sqlx::query_as(include_str!("../sql/find.sql"))
            .bind(self.request.as_uuid())
            .persistent(named)
            .fetch_one(&mut **tx)
            .await?;
        self.answer_in(row).map(drop)
    }

    /// Keeps the answer, within the guarded transaction that captures the credits for it.
    ///
    /// # Errors
    /// [`Problem`]; the transaction is then good for nothing but a rollback.
    pub(crate) async fn keep(&self, tx: &mut GuardedTx, answer: &str) -> Result<(), Problem> {
        let query = sqlx::query(include_str!("../sql/answer.sql"))
            .bind(self.request.as_uuid())
            .bind(answer)
            .persistent(!tx.is_pooled());
        match query.execute(&mut **tx).await?.rows_affected() {
            1 => Ok(()),
            // Captured for the first time, and answered before: never, so nothing of this may commit.
            rows => Err(Problem::internal(format!("{rows} rows took an answer"))),
        }
    }

    fn answer_in(&self, row: Row) -> Result<Option<String>, Problem> {
        match row.resource == self.resource.as_str() && row.asked.0 == self.query {
            true => Ok(row.answer),
            false => Err(Problem::KeyReused),
        }
    }
}
