//! A database of one test with the guard and the ledger in it.

use std::thread;

use credit_ledger::{Account, EntryRow, Finding, HoldState, Ledger, RequestId};
use fence_guard::{Guard, OpeningRow, RefusalRow, install};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use testbed::TestDatabase;

use crate::client::Client;
use crate::connecting::options;
use crate::plan::{account, grant_of, resource};
use crate::session::Session;
use crate::waiting;

/// More rows than any of these tests writes.
const ALL: u16 = 10_000;

/// A database of its own, with both schemas installed, and the rows in it.
#[derive(Debug)]
pub struct World {
    url: String,
    pool: PgPool,
    guard: Guard,
    ledger: Ledger,
    // Dropped last: where the server is not ours, the database goes with it.
    _database: Option<TestDatabase>,
}

impl World {
    /// A new one, named after the running test.
    pub async fn new() -> World {
        let thread = thread::current();
        let database = testbed::database(thread.name().unwrap_or("promises")).await;
        let world = World::at(database.url()).await;
        World {
            _database: Some(database),
            ..world
        }
    }

    /// The schemas in a database that the test has.
    pub async fn at(url: &str) -> World {
        let pool = PgPoolOptions::new()
            .connect_with(options(url))
            .await
            .unwrap();
        install(&pool, &[fence_guard::SCHEMA, credit_ledger::SCHEMA])
            .await
            .unwrap();
        World {
            url: url.to_owned(),
            guard: Guard::new(pool.clone()),
            ledger: Ledger::new(pool.clone()),
            pool,
            _database: None,
        }
    }

    /// A caller of the typed API with one connection.
    pub async fn client(&self) -> Client {
        Client::connect(&self.url).await
    }

    /// A bare connection.
    pub async fn session(&self) -> Session {
        Session::connect(&self.url).await
    }

    /// A pool for looking at rows.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The ledger on a pool of several connections.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Opens an account and grants it so many credits; none for 0.
    pub async fn account(&self, name: &str, credits: i64) -> Account {
        let account = account(name);
        self.ledger.open_account(&account).await.unwrap();
        if credits > 0 {
            let grant = grant_of(RequestId::random(), &account, credits);
            self.ledger.grant(&grant).await.unwrap();
        }
        account
    }

    /// Returns once the backend `pid` waits for the backend `by`.
    ///
    /// # Panics
    /// When it does not within [`BLOCKED_WITHIN`](crate::BLOCKED_WITHIN).
    pub async fn until_blocked(&self, pid: i32, by: i32) {
        waiting::until_blocked(&self.pool, pid, &[by], || false).await;
    }

    /// Returns once the backend `pid` waits for one of `by`, or `is_over` says that it never will;
    /// true where it waits.
    ///
    /// # Panics
    /// When neither happens within [`BLOCKED_WITHIN`](crate::BLOCKED_WITHIN).
    pub async fn blocked_or(&self, pid: i32, by: &[i32], is_over: impl Fn() -> bool) -> bool {
        waiting::until_blocked(&self.pool, pid, by, is_over).await
    }

    /// The mark of a resource, 0 if none.
    pub async fn mark(&self, name: &str) -> u64 {
        self.guard.mark(&resource(name)).await.unwrap().get()
    }

    /// The openings of a resource in the order of their numbers in the common sequence.
    pub async fn openings(&self, name: &str) -> Vec<OpeningRow> {
        let mut rows = self.guard.openings(&resource(name), 0, ALL).await.unwrap();
        // The guard lists them by fence; the tests look at the order in which they happened.
        rows.sort_by_key(|row| row.seq);
        rows
    }

    /// All refusals.
    pub async fn refusals(&self) -> Vec<RefusalRow> {
        self.guard.refusals(None, 0, ALL).await.unwrap()
    }

    /// The charges of an account.
    pub async fn charges(&self, account: &Account) -> Vec<EntryRow> {
        let mut rows = self.ledger.entries(account, 0, ALL).await.unwrap();
        rows.retain(|row| row.operation == "charge");
        rows
    }

    /// The balance of an account that is there.
    pub async fn balance(&self, account: &Account) -> i64 {
        self.ledger.balance(account).await.unwrap().unwrap()
    }

    /// What of an account that is there is held.
    pub async fn held(&self, account: &Account) -> i64 {
        let standing = self.ledger.standing(account).await.unwrap();
        standing.unwrap().held
    }

    /// The holds of an account, each with how it stands.
    pub async fn hold_states(&self, account: &Account) -> Vec<HoldState> {
        let rows = self.ledger.holds(account, None, 0, ALL).await.unwrap();
        rows.into_iter().map(|row| row.state).collect()
    }

    /// What the audit says against the rows.
    pub async fn findings(&self) -> Vec<Finding> {
        self.ledger.audit().await.unwrap()
    }
}
