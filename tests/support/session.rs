//! A bare connection: a hand at the keyboard, a program without our client, or a holder of locks.

use credit_ledger::{Account, Charge};
use fence_guard::Permit;
use sqlx::{Connection, Executor, PgConnection, SqlSafeStr};
use uuid::Uuid;

use crate::answer::Answer;
use crate::connecting::options;

/// A connection of its own, whose transactions the test begins and ends itself.
#[derive(Debug)]
pub struct Session {
    /// The connection.
    pub connection: PgConnection,
    /// The process number of its backend.
    pub pid: i32,
}

impl Session {
    pub(crate) async fn connect(url: &str) -> Session {
        let mut connection = PgConnection::connect_with(&options(url)).await.unwrap();
        let pid = sqlx::query_scalar("select pg_backend_pid()")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        Session { connection, pid }
    }

    /// Runs statements that have to succeed.
    pub async fn run(&mut self, statements: impl SqlSafeStr) {
        self.attempt(statements).await.unwrap();
    }

    /// Runs statements that may fail.
    ///
    /// # Errors
    /// What Postgres answers.
    pub async fn attempt(&mut self, statements: impl SqlSafeStr) -> Result<(), sqlx::Error> {
        let statements = sqlx::raw_sql(statements);
        self.connection.execute(statements).await.map(|_| ())
    }

    /// Begins a transaction that holds the account's row until it ends: whoever charges the account
    /// has passed every check, and waits.
    pub async fn hold_account(&mut self, account: &Account) {
        self.run("begin").await;
        sqlx::query("select from credit.account where name = $1 for update")
            .bind(account.as_str())
            .execute(&mut self.connection)
            .await
            .unwrap();
    }

    /// `fence.open`.
    ///
    /// # Errors
    /// What Postgres answers.
    pub async fn open(&mut self, permit: &Permit) -> Result<Answer, sqlx::Error> {
        sqlx::query_as("select outcome, mark, mark_holder from fence.open($1, $2, $3, '2 min')")
            .bind(permit.resource().as_str())
            .bind(permit.fence().as_i64())
            .bind(permit.holder().as_uuid())
            .fetch_one(&mut self.connection)
            .await
    }

    /// `fence.admit` under some permits, in this order, for an operation without a request id.
    ///
    /// # Errors
    /// What Postgres answers.
    pub async fn admit(&mut self, permits: &[&Permit]) -> Result<Answer, sqlx::Error> {
        let names: Vec<&str> = permits.iter().map(|p| p.resource().as_str()).collect();
        let fences: Vec<i64> = permits.iter().map(|p| p.fence().as_i64()).collect();
        let holders: Vec<Uuid> = permits.iter().map(|p| p.holder().as_uuid()).collect();
        sqlx::query_as(
            "select outcome, mark, mark_holder from fence.admit(
                array(select (r, f, h)::fence.permit from unnest($1, $2, $3) u(r, f, h)),
                'query', null, '2 min')",
        )
        .bind(names)
        .bind(fences)
        .bind(holders)
        .fetch_one(&mut self.connection)
        .await
    }

    /// `fence.close`, with one millisecond of the lease left.
    ///
    /// # Errors
    /// What Postgres answers.
    pub async fn close(&mut self, permit: &Permit) -> Result<Answer, sqlx::Error> {
        sqlx::query_as("select outcome, mark, mark_holder from fence.close($1, $2, $3, 1)")
            .bind(permit.resource().as_str())
            .bind(permit.fence().as_i64())
            .bind(permit.holder().as_uuid())
            .fetch_one(&mut self.connection)
            .await
    }

    /// `credit.charge`. Unlike the typed ledger it takes any permit, also one that never opened.
    ///
    /// # Errors
    /// What Postgres answers.
    pub async fn charge(
        &mut self,
        permit: &Permit,
        charge: &Charge,
    ) -> Result<Answer, sqlx::Error> {
        sqlx::query_as(
            "select outcome, mark, mark_holder from credit.charge($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .bind(charge.request.as_uuid())
        .bind(charge.account.as_str())
        .bind(charge.amount.get())
        .bind(charge.purpose.as_str())
        .fetch_one(&mut self.connection)
        .await
    }
}
