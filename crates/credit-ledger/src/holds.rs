//! Hold, capture and release, each one call and one round trip.

use std::time::Duration;

use fence::Permit;
use fence_guard::{GuardedTx, OpenPermit};
use sqlx::postgres::types::PgInterval;
use tracing::instrument;

use crate::answer::{Applied, Held, Released};
use crate::error::Error;
use crate::ledger::{Call, Ledger, call_within};
use crate::requests::{Capture, Hold, Release};

impl Ledger {
    /// Sets credits of an account aside for one charge, once per request id, and only while the permit's opening is the
    /// newest one. No entry is written; what is held cannot be charged or held by anybody else.
    ///
    /// A hold ends once: captured, released, expired, or void. It is void from the moment on in which another opening
    /// replaces this one, unless this one was closed. So "hold, run the slow query, capture" charges once, whoever else
    /// takes over. One whose opening was closed stays until it expires, and a later opening may capture it.
    ///
    /// # Errors
    /// [`Error`]; none of them holds anything, save that [`StoreError::Unknown`](crate::StoreError::Unknown) may: send
    /// the same request again. [`StoreError::Misuse`](crate::StoreError::Misuse) for an
    /// [`expires_in`](Hold::expires_in) out of its range.
    #[instrument(name = "credit_ledger.hold", skip_all, err(level = "debug"), fields(
        fence.resource = %open.permit().resource(), fence.presented = open.permit().fence().get(),
        credit.request = %hold.request, credit.amount = hold.amount.get()))]
    pub async fn hold(&self, open: &OpenPermit, hold: &Hold) -> Result<Held, Error> {
        let answer = self.store.call(call_hold(open.permit(), hold)).await?;
        answer.held(open.permit())
    }

    /// [`hold`](Ledger::hold) within a transaction that the guard has admitted under this permit.
    ///
    /// # Errors
    /// As [`charge_within`](Ledger::charge_within).
    pub async fn hold_within(
        &self,
        tx: &mut GuardedTx,
        open: &OpenPermit,
        hold: &Hold,
    ) -> Result<Held, Error> {
        let answer = call_within(tx, call_hold(open.permit(), hold)).await?;
        answer.held(open.permit())
    }

    /// Charges what was held, or a part of it, and frees the rest. Whoever has the hold's resource open may.
    ///
    /// # Errors
    /// [`Error`]; none of them has moved credits, save that [`StoreError::Unknown`](crate::StoreError::Unknown) may
    /// have: send the same request again. [`Error::HoldEnded`] says how, also to the second of two captures.
    #[instrument(name = "credit_ledger.capture", skip_all, err(level = "debug"), fields(
        fence.resource = %open.permit().resource(), fence.presented = open.permit().fence().get(),
        credit.request = %capture.request, credit.hold = %capture.hold, credit.amount = capture.amount.get()))]
    pub async fn capture(&self, open: &OpenPermit, capture: &Capture) -> Result<Applied, Error> {
        let answer = self
            .store
            .call(call_capture(open.permit(), capture))
            .await?;
        answer.applied(Some(open.permit()))
    }

    /// [`capture`](Ledger::capture) within a transaction that the guard has admitted under this permit.
    ///
    /// # Errors
    /// As [`charge_within`](Ledger::charge_within).
    pub async fn capture_within(
        &self,
        tx: &mut GuardedTx,
        open: &OpenPermit,
        capture: &Capture,
    ) -> Result<Applied, Error> {
        let answer = call_within(tx, call_capture(open.permit(), capture)).await?;
        answer.applied(Some(open.permit()))
    }

    /// Frees what was held; nothing is charged. Whoever has the hold's resource open may.
    ///
    /// # Errors
    /// [`Error`]; none of them has freed anything that the hold's own end did not free. [`Error::HoldEnded`] says how it
    /// ended.
    #[instrument(name = "credit_ledger.release", skip_all, err(level = "debug"), fields(
        fence.resource = %open.permit().resource(), fence.presented = open.permit().fence().get(),
        credit.request = %release.request, credit.hold = %release.hold))]
    pub async fn release(&self, open: &OpenPermit, release: &Release) -> Result<Released, Error> {
        let answer = self
            .store
            .call(call_release(open.permit(), release))
            .await?;
        answer.released(open.permit())
    }

    /// [`release`](Ledger::release) within a transaction that the guard has admitted under this permit.
    ///
    /// # Errors
    /// As [`charge_within`](Ledger::charge_within).
    pub async fn release_within(
        &self,
        tx: &mut GuardedTx,
        open: &OpenPermit,
        release: &Release,
    ) -> Result<Released, Error> {
        let answer = call_within(tx, call_release(open.permit(), release)).await?;
        answer.released(open.permit())
    }
}

fn call_hold<'q>(permit: &'q Permit, hold: &'q Hold) -> Call<'q> {
    sqlx::query_as("select * from credit.hold($1, $2, $3, $4, $5, $6, $7, $8, $9)")
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .bind(hold.request.as_uuid())
        .bind(hold.account.as_str())
        .bind(hold.amount.get())
        .bind(hold.purpose.as_str())
        .bind(interval(hold.expires_in))
        .bind("hold")
}

fn call_capture<'q>(permit: &'q Permit, capture: &'q Capture) -> Call<'q> {
    sqlx::query_as("select * from credit.capture($1, $2, $3, $4, $5, $6, $7)")
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .bind(capture.request.as_uuid())
        .bind(capture.hold.as_uuid())
        .bind(capture.amount.get())
        .bind("capture")
}

fn call_release<'q>(permit: &'q Permit, release: &'q Release) -> Call<'q> {
    sqlx::query_as("select * from credit.release($1, $2, $3, $4, $5, $6)")
        .bind(permit.resource().as_str())
        .bind(permit.fence().as_i64())
        .bind(permit.holder().as_uuid())
        .bind(release.request.as_uuid())
        .bind(release.hold.as_uuid())
        .bind("release")
}

/// Postgres counts intervals in whole microseconds; a rest below one is rounded up. The function judges the range.
fn interval(duration: Duration) -> PgInterval {
    let microseconds = duration.as_nanos().div_ceil(1000);
    PgInterval {
        months: 0,
        days: 0,
        microseconds: microseconds.try_into().unwrap_or(i64::MAX),
    }
}
