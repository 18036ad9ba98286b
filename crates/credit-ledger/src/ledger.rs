//! The ledger: grant, charge and refund, each one call and one round trip. Holds, accounts and history are beside it.

use fence::Permit;
use fence_guard::{Guard, GuardOptions, GuardedTx, OpenPermit, Store, StoreError};
use sqlx::Postgres;
use sqlx::postgres::{PgArguments, PgPool};
use sqlx::query::QueryAs;
use sqlx::types::time::OffsetDateTime;
use tracing::instrument;

use crate::answer::{Answer, Applied, Once};
use crate::error::Error;
use crate::requests::{Charge, Grant, Refund};

/// The ledger of prepaid credits. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(crate) store: Store,
}

/// A call that answers [`Answer`].
pub(crate) type Call<'q> = QueryAs<'q, Postgres, Answer, PgArguments>;

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
        let answer: Answer = self.store.call(query).await?;
        answer.applied(None)
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
        self.charge_under(open.permit(), charge).await
    }

    /// As `charge`, for whoever has only kept the opening's permit.
    pub(crate) async fn charge_under(
        &self,
        permit: &Permit,
        charge: &Charge,
    ) -> Result<Applied, Error> {
        let answer = self.store.call(call_charge(permit, charge)).await?;
        answer.applied(Some(permit))
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
        let answer = call_within(tx, call_charge(open.permit(), charge)).await?;
        answer.applied(Some(open.permit()))
    }

    /// Charges an account for a purpose, unless that was charged already, since a moment (that moment included;
    /// `None`: ever). One round trip that opens, looks, charges and closes.
    ///
    /// It takes a permit that nobody has opened, for the decision is made in the database, behind the resource's lock:
    /// nothing that the caller has read goes into it. Where the permit is open already, it rides in that opening and
    /// leaves it open. Every charge for the purpose has to be made under this resource.
    ///
    /// A permit rides once: sent again after a request that came to nothing, it is *closed*. A new permit, or the
    /// replay of a request that was applied, is answered.
    ///
    /// # Errors
    /// [`Error`]; none of them has moved credits, save that [`StoreError::Unknown`] may have: send the
    /// same request again.
    #[instrument(name = "credit_ledger.charge_once", skip_all, err(level = "debug"), fields(
        fence.resource = %permit.resource(), fence.presented = permit.fence().get(),
        credit.request = %charge.request, credit.amount = charge.amount.get()))]
    pub async fn charge_once(
        &self,
        permit: &Permit,
        charge: &Charge,
        since: Option<OffsetDateTime>,
    ) -> Result<Once, Error> {
        let query = "select * from credit.charge_once($1, $2, $3, $4, $5, $6, $7, coalesce($8, '-infinity'), $9)";
        let query = sqlx::query_as(query)
            .bind(permit.resource().as_str())
            .bind(permit.fence().as_i64())
            .bind(permit.holder().as_uuid())
            .bind(charge.request.as_uuid())
            .bind(charge.account.as_str())
            .bind(charge.amount.get())
            .bind(charge.purpose.as_str())
            .bind(since)
            .bind("charge_once");
        let answer: Answer = self.store.call(query).await?;
        answer.once(permit)
    }

    /// Gives back what a charge took, or a part of it, once per request id; never more in all than was charged, whoever
    /// refunds beside this call.
    ///
    /// It needs no permit: nothing that the caller has read decides it.
    ///
    /// # Errors
    /// [`Error`]; none of them has moved credits, save that [`StoreError::Unknown`] may have: send the
    /// same request again.
    #[instrument(name = "credit_ledger.refund", skip_all, err(level = "debug"), fields(
        credit.request = %refund.request, credit.charge = %refund.charge, credit.amount = refund.amount.get()))]
    pub async fn refund(&self, refund: &Refund) -> Result<Applied, Error> {
        let query = sqlx::query_as("select * from credit.refund($1, $2, $3, $4)")
            .bind(refund.request.as_uuid())
            .bind(refund.charge.as_uuid())
            .bind(refund.amount.get())
            .bind("refund");
        let answer: Answer = self.store.call(query).await?;
        answer.applied(None)
    }
}

/// A call within an admitted transaction.
pub(crate) async fn call_within(tx: &mut GuardedTx, call: Call<'_>) -> Result<Answer, StoreError> {
    let call = call.persistent(!tx.is_pooled());
    Ok(call.fetch_one(&mut **tx).await?)
}

fn call_charge<'q>(permit: &'q Permit, charge: &'q Charge) -> Call<'q> {
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
