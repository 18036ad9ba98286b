//! The ledger: grant and charge, each one call and one round trip.

use fence::{Floor, Holder, Permit, Reason, Refusal};
use fence_guard::{GuardedTx, OpenPermit, StoreError};
use sqlx::postgres::PgPool;
use sqlx::types::time::OffsetDateTime;
use sqlx::{Executor, Postgres};
use tracing::instrument;
use uuid::Uuid;

use crate::error::Error;
use crate::names::Account;
use crate::requests::{Charge, Grant};

/// The ledger of prepaid credits. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(crate) pool: PgPool,
}

/// An entry that a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The entry's number, in the one sequence of openings, closes and guarded entries.
    pub seq: i64,
    /// When it was written, by the database's clock.
    pub at: OffsetDateTime,
    /// The account's balance after the entry.
    pub balance_after: i64,
    /// Whether an earlier call with the same request id had written it.
    pub replayed: bool,
}

impl Ledger {
    /// A ledger on a pool; use the guard's ([`fence_guard::Guard::pool`]).
    pub fn new(pool: PgPool) -> Ledger {
        Ledger { pool }
    }

    /// Opens a user account with a balance of 0. False if it was there already.
    ///
    /// # Errors
    /// [`StoreError`] if the name is a system account's, or if Postgres does not answer.
    pub async fn open_account(&self, account: &Account) -> Result<bool, StoreError> {
        let (is_new,) = sqlx::query_as("select credit.open_account($1)")
            .bind(account.as_str())
            .fetch_one(&self.pool)
            .await?;
        Ok(is_new)
    }

    /// Gives credits to an account, once per request id.
    ///
    /// It needs no permit: it is decided without reading the ledger.
    ///
    /// # Errors
    /// [`Error`]; none of them has moved credits, save that [`StoreError::Unknown`] may have.
    #[instrument(name = "credit_ledger.grant", skip_all, err(level = "debug"), fields(
        credit.request = %grant.request, credit.amount = grant.amount.get()))]
    pub async fn grant(&self, grant: &Grant) -> Result<Applied, Error> {
        let row: ResultRow = sqlx::query_as("select * from credit.grant($1, $2, $3, $4)")
            .bind(grant.request.as_uuid())
            .bind(grant.account.as_str())
            .bind(grant.amount.get())
            .bind(grant.purpose.as_str())
            .fetch_one(&self.pool)
            .await?;
        row.into_outcome(None)
    }

    /// Charges an account, once per request id, and only while the permit's opening is the newest one:
    /// one round trip, one commit.
    ///
    /// # Errors
    /// [`Error`]; none of them has moved credits, save that [`StoreError::Unknown`] may have: send the
    /// same request again.
    #[instrument(name = "credit_ledger.charge", skip_all, err(level = "debug"), fields(
        fence.resource = %open.permit().resource(), fence.presented = open.permit().fence().get(),
        credit.request = %charge.request, credit.amount = charge.amount.get()))]
    pub async fn charge(&self, open: &OpenPermit, charge: &Charge) -> Result<Applied, Error> {
        call_charge(&self.pool, open.permit(), charge).await
    }

    /// Charges within a transaction that the guard has admitted under this permit; it commits, or does
    /// not, together with the rest of the transaction.
    ///
    /// # Errors
    /// [`Error`]. [`StoreError::Misuse`] (`ZF006`) if the transaction was not admitted with this permit;
    /// the transaction is then good for nothing but a rollback.
    pub async fn charge_within(
        &self,
        tx: &mut GuardedTx,
        open: &OpenPermit,
        charge: &Charge,
    ) -> Result<Applied, Error> {
        call_charge(&mut **tx, open.permit(), charge).await
    }

    /// The balance of a user account in credits; `None` if there is no such account.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn balance(&self, account: &Account) -> Result<Option<i64>, StoreError> {
        let (balance,) = sqlx::query_as("select credit.balance($1)")
            .bind(account.as_str())
            .fetch_one(&self.pool)
            .await?;
        Ok(balance)
    }
}

async fn call_charge<'c>(
    executor: impl Executor<'c, Database = Postgres>,
    permit: &Permit,
    charge: &Charge,
) -> Result<Applied, Error> {
    let row: ResultRow = sqlx::query_as("select * from credit.charge($1, $2, $3, $4, $5, $6, $7)")
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .bind(charge.request.as_uuid())
        .bind(charge.account.as_str())
        .bind(charge.amount.get())
        .bind(charge.purpose.as_str())
        .fetch_one(executor)
        .await?;
    row.into_outcome(Some(permit))
}

/// `credit.result`, as the SQL functions answer it.
#[derive(sqlx::FromRow)]
struct ResultRow {
    outcome: String,
    replayed: Option<bool>,
    field: Option<String>,
    seq: Option<i64>,
    at: Option<OffsetDateTime>,
    balance_after: Option<i64>,
    mark: Option<i64>,
    mark_holder: Option<Uuid>,
}

impl ResultRow {
    fn into_outcome(self, permit: Option<&Permit>) -> Result<Applied, Error> {
        let balance = self.balance_after.unwrap_or(0);
        match (self.outcome.as_str(), self.seq, self.at) {
            ("applied", Some(seq), Some(at)) => Ok(Applied {
                seq,
                at,
                balance_after: balance,
                replayed: self.replayed.unwrap_or(false),
            }),
            ("request mismatch", ..) => Err(Error::Mismatch {
                field: self.field.unwrap_or_default(),
            }),
            ("unknown account", ..) => Err(Error::UnknownAccount),
            ("insufficient credit", ..) => Err(Error::InsufficientCredit { balance }),
            ("balance overflow", ..) => Err(Error::BalanceOverflow { balance }),
            (word, ..) => Err(match permit.and_then(|permit| self.refusal(permit)) {
                Some(refusal) => refusal.into(),
                None => StoreError::Foreign {
                    what: format!("{word:?}"),
                }
                .into(),
            }),
        }
    }

    fn refusal(&self, permit: &Permit) -> Option<Refusal> {
        let reason: Reason = self.outcome.parse().ok()?;
        let mark = Floor::try_from(self.mark?).ok()?;
        Some(Refusal::new(
            permit.clone(),
            reason,
            mark,
            self.mark_holder.map(Holder::from_uuid),
        ))
    }
}
