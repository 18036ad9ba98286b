//! What an instance has one of, and how it ends.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use credit_ledger::Ledger;
use fence_guard::{GuardOptions, Store};
use fenced_section::{Guard, LeaseLock, Sections};
use lease_lock::ConnectError;
use sqlx::PgPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::causes::Causes;
use crate::query::Datasets;
use crate::usual::Usual;
use crate::{Config, Problem, deadline, figures, schema};

/// Connections beyond one for each query in flight: for health, balances, and what is left in the background.
const SPARE_CONNECTIONS: u32 = 4;
/// How long a request waits for a connection before it is told that Postgres does not answer.
const CONNECTED_WITHIN: Duration = Duration::from_secs(3);
/// How long a connection may take to show, when it comes back, that it is alive.
const ALIVE_WITHIN: Duration = Duration::from_secs(1);
/// How long an opening waits for writers in flight; the guard ends those that stand still after a second.
const OPENED_WITHIN: Duration = Duration::from_secs(2);

/// An instance. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Service(pub(crate) Arc<Parts>);

#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) config: Config,
    pub(crate) sections: Sections,
    pub(crate) ledger: Ledger,
    pub(crate) datasets: Datasets,
    pub(crate) usual: Usual,
    /// One for each query in flight. Who has all of them knows that none is.
    slots: Arc<Semaphore>,
    phase: watch::Sender<Phase>,
}

/// How far an instance is from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It takes queries.
    Serving,
    /// It takes none, which it says to whoever still comes; those in flight go on.
    Draining,
    /// Those in flight are given up: what they hold is released, and their sections are left.
    GivingUp,
}

/// The right to have a query in flight.
#[derive(Debug)]
pub(crate) struct Slot {
    _permit: OwnedSemaphorePermit,
}

impl Service {
    /// Connects to the servers, to Redis when it is there, and puts the tables in place, or looks whether they are ([`Config::no_install`]). Several
    /// instances may do so at once.
    ///
    /// # Errors
    /// What did not answer, or did not take it.
    pub async fn start(config: Config) -> anyhow::Result<Service> {
        let pool = connect(&config).await.context("Postgres (DATABASE_URL)")?;
        let reached = match config.pooled {
            true => GuardOptions::pooled(),
            false => GuardOptions::default(),
        };
        let guard = Guard::with_options(pool, reached.with_wait(OPENED_WITHIN));
        match config.no_install {
            true => schema::look(guard.store()).await?,
            false => schema::put_in_place(&config.database_url).await?,
        }
        let locks = leases(&config).await.context("Redis (REDIS_URL)")?;
        let datasets = Datasets::connect(
            config.queries_url(),
            config.at_once,
            config.query_limit(),
            Duration::from_millis(config.query_takes_ms),
        );
        let parts = Parts {
            datasets: datasets
                .await
                .context("the datasets' Postgres (QUERIES_URL)")?,
            ledger: Ledger::on(&guard),
            sections: Sections::new(locks, guard),
            usual: Usual::default(),
            slots: Arc::new(Semaphore::new(config.at_once as usize)),
            phase: watch::Sender::new(Phase::Serving),
            config,
        };
        Ok(Service(Arc::new(parts)))
    }

    /// What it was started with.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The sections, and their figures.
    pub fn sections(&self) -> &Sections {
        &self.0.sections
    }

    /// How far it is from its end.
    pub fn phase(&self) -> Phase {
        *self.0.phase.borrow()
    }

    /// Brings it nearer to its end, never back.
    pub fn enter_phase(&self, phase: Phase) {
        self.0.phase.send_if_modified(|current| {
            let is_later = phase > *current;
            *current = phase.max(*current);
            is_later
        });
    }

    /// Returns once it is as near to its end as that.
    pub async fn reached(&self, phase: Phase) {
        let mut phases = self.0.phase.subscribe();
        // The sender lives as long as this service.
        let _ = phases.wait_for(|current| *current >= phase).await;
    }

    /// Returns when no query is in flight, and lets none come after that.
    pub(crate) async fn idle(&self) {
        // Only a closed semaphore has none to give, and nobody closes it.
        if let Ok(all) = self.0.slots.acquire_many(self.0.config.at_once).await {
            all.forget();
        }
    }

    /// The way to the Postgres of guard, ledger and answers, which may be a pooler's.
    pub(crate) fn store(&self) -> &Store {
        self.0.sections.guard().store()
    }

    /// The right to have one more query in flight.
    pub(crate) fn take_slot(&self) -> Result<Slot, Problem> {
        if self.phase() > Phase::Serving {
            return Err(Problem::Stopping);
        }
        let permit = self.0.slots.clone().try_acquire_owned();
        let slot = Slot {
            _permit: permit.map_err(|_| Problem::Full)?,
        };
        figures::one_more_in_flight();
        Ok(slot)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        figures::one_less_in_flight();
    }
}

/// The leases. An instance that restarts while Redis is down comes up all the same: not ready, or going on in the way that
/// was chosen for that, and with Redis as soon as it is back.
async fn leases(config: &Config) -> Result<LeaseLock, ConnectError> {
    let (url, prefix) = (config.redis_url.as_str(), &config.prefix);
    match LeaseLock::connect(url, prefix.clone()).await {
        Err(error @ ConnectError::Unreachable { .. }) => {
            tracing::warn!(
                error = %Causes(&error),
                "starting without Redis, each query asks for it again"
            );
            LeaseLock::connect_lazily(url, prefix.clone())
        }
        connected => connected,
    }
}

/// The pool of guard, ledger and answers. Unlike `Guard::connect` it asks a connection whether it is alive before each
/// use: beside a slow query that costs nothing, and after a restart of Postgres no customer meets a dead one.
async fn connect(config: &Config) -> Result<PgPool, sqlx::Error> {
    deadline::pool(ALIVE_WITHIN)
        .max_connections(config.at_once + SPARE_CONNECTIONS)
        .acquire_timeout(CONNECTED_WITHIN)
        .connect(&config.database_url)
        .await
}
