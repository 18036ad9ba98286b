//! Where a write is held up: behind its last check, and before its commit.

use sqlx::{PgPool, Postgres, Transaction};

/// At which point a write stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gate {
    /// In the statement that writes: the client has not heard of it, and its transaction goes on after it.
    InStatement,
    /// In the commit: everything that the writer checks has been checked.
    BeforeCommit,
}

/// A closed gate. Dropping it opens it, too.
pub(super) struct ClosedGate(Transaction<'static, Postgres>);

impl Gate {
    const fn name(self) -> &'static str {
        match self {
            Gate::InStatement => "in statement",
            Gate::BeforeCommit => "before commit",
        }
    }

    /// Holds up whoever writes to one of these tables, through this pool.
    pub(super) async fn close(
        self,
        keeper: &PgPool,
        tables: &[String],
    ) -> Result<ClosedGate, sqlx::Error> {
        let mut tx = keeper.begin().await?;
        sqlx::query(include_str!("sql/close_gate.sql"))
            .bind(tables)
            .bind(self.name())
            .execute(&mut *tx)
            .await?;
        Ok(ClosedGate(tx))
    }
}

impl ClosedGate {
    pub(super) async fn open(self) -> Result<(), sqlx::Error> {
        self.0.rollback().await
    }
}

/// Builds the gates of these tables, for one run at a time in a database.
pub(super) async fn put_up(operator: &PgPool, tables: &[String]) -> Result<(), sqlx::Error> {
    let mut tx = operator.begin().await?;
    // Two that create one schema at once would meet in its unique index.
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('fence_kit', 0))")
        .execute(&mut *tx)
        .await?;
    sqlx::raw_sql(include_str!("sql/gates.sql"))
        .execute(&mut *tx)
        .await?;
    sqlx::query("select fence_kit.put_up(t.name) from unnest($1::text[]) t (name)")
        .bind(tables)
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}

/// Takes them away.
pub(super) async fn take_down(operator: &PgPool, tables: &[String]) -> Result<(), sqlx::Error> {
    sqlx::query("select fence_kit.take_down(t.name) from unnest($1::text[]) t (name)")
        .bind(tables)
        .execute(operator)
        .await
        .map(|_| ())
}
