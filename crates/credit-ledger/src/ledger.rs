//! The ledger: grant and charge, each one call and one round trip.

use fence::{Floor, Holder, Permit, Reason, Refusal};
use fence_guard::{Guard, GuardOptions, GuardedTx, OpenPermit, Store, StoreError};
use sqlx::Postgres;
use sqlx::postgres::{PgArguments, PgPool};
use sqlx::query::QueryAs;
use sqlx::types::time::OffsetDateTime;
use tracing::instrument;
use uuid::Uuid;

use crate::error::Error;
use crate::names::Account;
use crate::requests::{Charge, Grant};

/// The ledger of prepaid credits. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(crate) store: Store,
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
    /// A ledger that reaches Postgres as the guard does.
    pub fn on(guard: &Guard) -> Ledger {
        Ledger {
            store: guard.store().clone(),
        }
    }

    /// A ledger on a pool of its own, whose connections reach Postgres directly.
    pub fn new(pool: PgPool) -> Ledger {
        Ledger {
            store: Store::new(pool, GuardOptions::default()),
        }
    }

    /// Opens a user account with a balance of 0. False if it was there already.
    ///
    /// # Errors
    /// [`StoreError`] if the name is a system account's, or if Postgres does not answer.
    pub async fn open_account(&self, account: &Account) -> Result<bool, StoreError> {
        let query = sqlx::query_as("select credit.open_account($1, $2)")
            .bind(account.as_str())
            .bind("open_account");
        let (is_new,) = self.store.call(query).await?;
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
        let query = sqlx::query_as("select * from credit.grant($1, $2, $3, $4, $5)")
            .bind(grant.request.as_uuid())
            .bind(grant.account.as_str())
            .bind(grant.amount.get())
            .bind(grant.purpose.as_str())
            .bind("grant");
        let row: ResultRow = self.store.call(query).await?;
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
        let row: ResultRow = self.store.call(call_charge(open.permit(), charge)).await?;
        row.into_outcome(Some(open.permit()))
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
        let query = call_charge(open.permit(), charge).persistent(!tx.is_pooled());
        let row: ResultRow = query.fetch_one(&mut **tx).await?;
        row.into_outcome(Some(open.permit()))
    }

    /// The balance of a user account in credits; `None` if there is no such account.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not answer.
    pub async fn balance(&self, account: &Account) -> Result<Option<i64>, StoreError> {
        let query = sqlx::query_as("select credit.balance($1)").bind(account.as_str());
        let (balance,) = self.store.call(query).await?;
        Ok(balance)
    }
}

fn call_charge<'q>(
    permit: &'q Permit,
    charge: &'q Charge,
) -> QueryAs<'q, Postgres, ResultRow, PgArguments> {
    sqlx::query_as("select * from credit.charge($1, $2, $3, $4, $5, $6, $7, $8)")
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .bind(charge.request.as_uuid())
        .bind(charge.account.as_str())
        .bind(charge.amount.get())
        .bind(charge.purpose.as_str())
        .bind("charge")
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
