//! A database that went back: a copy of it is what a restore brings back, or a standby that lagged.

use std::time::Duration;

use fence_guard::{Guard, Holder, OpenPermit};
use promises::{HOLD, World, permit, resource};
use sqlx::{Connection, Executor, PgConnection};
use testbed::{Options, PostgresServer};

/// For how long an opening that the guard minted keeps others out: longer than any test runs.
const HOUR: Duration = Duration::from_secs(3600);

/// The database before and after, and everybody who has opened before.
pub(crate) struct LostTime {
    /// What came back. It knows nothing of what happened after the copy was made.
    pub(crate) restored: World,
    /// The URL of what came back.
    pub(crate) url: String,
    /// What went on until the primary was lost.
    pub(crate) lost: World,
    /// Overtaken in the lost time; what came back takes it for the newest.
    pub(crate) overtaken: OpenPermit,
    /// The first to open its resource, in the lost time.
    pub(crate) newcomer: OpenPermit,
    /// Whoever else has opened.
    pub(crate) others: Vec<OpenPermit>,
    // Dropped last.
    _server: PostgresServer,
}

impl LostTime {
    /// Loses a time in which three resources were opened.
    pub(crate) async fn lose() -> LostTime {
        // A server of its own: databases are copied, and roles changed, which all databases share.
        let server = PostgresServer::start(&Options::throw_away()).unwrap();
        let base = server.url().strip_suffix("postgres").unwrap();
        let (app, url) = (format!("{base}app"), format!("{base}restored"));
        execute(server.url(), "create database app").await;

        let before = World::at(&app).await;
        before.account("alice", 10).await;
        let guard = Guard::new(before.pool().clone());
        let overtaken = open(&guard, "unclosed", 7).await;
        let closed = open(&guard, "closed", 5).await;
        guard.close(&closed, 1).await.unwrap();
        let holder = Holder::random();
        let minted = guard.open_next(&resource("minted"), holder, HOUR).await;
        // A database that somebody is connected to is not copied.
        before.pool().close().await;
        execute(server.url(), "create database restored template app").await;

        let lost = World::at(&app).await;
        let guard = Guard::new(lost.pool().clone());
        let newcomer = open(&guard, "new", 9).await;
        let successor = open(&guard, "unclosed", 8).await;
        let successor_of_closed = open(&guard, "closed", 6).await;
        LostTime {
            restored: World::at(&url).await,
            url,
            lost,
            overtaken,
            newcomer,
            others: vec![closed, minted.unwrap(), successor, successor_of_closed],
            _server: server,
        }
    }

    /// The guard of what came back.
    pub(crate) fn guard(&self) -> Guard {
        Guard::new(self.restored.pool().clone())
    }

    /// Everybody who has opened before.
    pub(crate) fn all(&self) -> impl Iterator<Item = &OpenPermit> {
        let named = [&self.overtaken, &self.newcomer];
        named.into_iter().chain(&self.others)
    }
}

async fn open(guard: &Guard, name: &str, fence: u64) -> OpenPermit {
    guard.open(&permit(name, fence), HOLD).await.unwrap()
}

/// Runs one statement that has to stand alone.
async fn execute(url: &str, statement: &'static str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute(statement).await.unwrap();
    connection.close().await.unwrap();
}
