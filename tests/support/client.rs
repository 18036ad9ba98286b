//! A caller of the typed API whose backend is known.

use std::sync::Arc;

use credit_ledger::{
    Applied, Capture, Charge, Error, Held, Hold, Ledger, Once, Refund, Release, Released,
};
use fence_guard::{Closed, Guard, GuardedTx, OpenPermit, Permit};
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;

use crate::connecting::options;
use crate::plan::HOLD;
use crate::started::{Started, start};

/// Guard and ledger on a pool of exactly one connection, so that a test can tell when this caller
/// waits, and for whom.
#[derive(Debug)]
pub struct Client {
    /// The guard.
    pub guard: Guard,
    /// The ledger.
    pub ledger: Ledger,
    /// The process number of its backend.
    pub pid: i32,
}

impl Client {
    pub(crate) async fn connect(url: &str) -> Client {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options(url))
            .await
            .unwrap();
        let pid = sqlx::query_scalar("select pg_backend_pid()")
            .fetch_one(&pool)
            .await
            .unwrap();
        Client {
            ledger: Ledger::new(pool.clone()),
            guard: Guard::new(pool),
            pid,
        }
    }

    /// Opens what has to open.
    pub async fn open(&self, permit: &Permit) -> Arc<OpenPermit> {
        Arc::new(self.guard.open(permit, HOLD).await.unwrap())
    }

    /// Begins a transaction that has to be admitted.
    pub async fn begin(&self, open: &OpenPermit) -> GuardedTx {
        self.guard
            .begin(open, "query", Uuid::nil(), HOLD)
            .await
            .unwrap()
    }

    /// Charges what has to be applied.
    pub async fn charge(&self, open: &OpenPermit, charge: &Charge) -> Applied {
        self.ledger.charge(open, charge).await.unwrap()
    }

    /// Holds what has to be held.
    pub async fn hold(&self, open: &OpenPermit, hold: &Hold) {
        self.ledger.hold(open, hold).await.unwrap();
    }

    /// Captures what has to be captured.
    pub async fn capture(&self, open: &OpenPermit, capture: &Capture) -> Applied {
        self.ledger.capture(open, capture).await.unwrap()
    }

    /// Closes what has to close.
    pub async fn close(&self, open: &OpenPermit) {
        assert_eq!(self.guard.close(open, 1).await.unwrap(), Closed::Closed);
    }

    /// Starts to open beside the test.
    pub fn start_open(&self, permit: &Permit) -> Started<Result<OpenPermit, fence_guard::Error>> {
        let (guard, permit) = (self.guard.clone(), permit.clone());
        start(async move { guard.open(&permit, HOLD).await })
    }

    /// Starts to begin a guarded transaction beside the test.
    pub fn start_begin(
        &self,
        open: &Arc<OpenPermit>,
    ) -> Started<Result<GuardedTx, fence_guard::Error>> {
        let (guard, open) = (self.guard.clone(), open.clone());
        start(async move { guard.begin(&open, "query", Uuid::nil(), HOLD).await })
    }

    /// Starts to charge beside the test.
    pub fn start_charge(
        &self,
        open: &Arc<OpenPermit>,
        charge: &Charge,
    ) -> Started<Result<Applied, credit_ledger::Error>> {
        let (ledger, open, charge) = (self.ledger.clone(), open.clone(), charge.clone());
        start(async move { ledger.charge(&open, &charge).await })
    }

    /// Starts to charge once beside the test.
    pub fn start_charge_once(
        &self,
        permit: &Permit,
        charge: &Charge,
    ) -> Started<Result<Once, Error>> {
        let (ledger, permit, charge) = (self.ledger.clone(), permit.clone(), charge.clone());
        start(async move { ledger.charge_once(&permit, &charge, None).await })
    }

    /// Starts to hold beside the test.
    pub fn start_hold(&self, open: &Arc<OpenPermit>, hold: &Hold) -> Started<Result<Held, Error>> {
        let (ledger, open, hold) = (self.ledger.clone(), open.clone(), hold.clone());
        start(async move { ledger.hold(&open, &hold).await })
    }

    /// Starts to capture beside the test.
    pub fn start_capture(
        &self,
        open: &Arc<OpenPermit>,
        capture: &Capture,
    ) -> Started<Result<Applied, Error>> {
        let (ledger, open, capture) = (self.ledger.clone(), open.clone(), *capture);
        start(async move { ledger.capture(&open, &capture).await })
    }

    /// Starts to release beside the test.
    pub fn start_release(
        &self,
        open: &Arc<OpenPermit>,
        release: &Release,
    ) -> Started<Result<Released, Error>> {
        let (ledger, open, release) = (self.ledger.clone(), open.clone(), *release);
        start(async move { ledger.release(&open, &release).await })
    }

    /// Starts to refund beside the test.
    pub fn start_refund(&self, refund: &Refund) -> Started<Result<Applied, Error>> {
        let (ledger, refund) = (self.ledger.clone(), *refund);
        start(async move { ledger.refund(&refund).await })
    }

    /// Starts to close beside the test.
    pub fn start_close(&self, open: &Arc<OpenPermit>) -> Started<Closed> {
        let (guard, open) = (self.guard.clone(), open.clone());
        start(async move { guard.close(&open, 1).await.unwrap() })
    }
}
