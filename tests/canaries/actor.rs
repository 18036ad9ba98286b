//! One holder of a scenario, on a connection of its own.

use std::sync::Arc;

use promises::{Session, Started, start};
use sqlx::PgConnection;
use tokio::sync::Mutex;
use uuid::Uuid;

/// A holder that uses a guard through the common interface. It does one thing at a time.
pub(crate) struct Actor {
    session: Arc<Mutex<Session>>,
    pub(crate) pid: i32,
    resource: &'static str,
    fence: i64,
    holder: Uuid,
}

/// A call of an actor that was started, and may be waiting.
pub(crate) struct Call {
    pub(crate) pid: i32,
    pub(crate) outcome: Started<String>,
}

impl Actor {
    pub(crate) fn new(session: Session, resource: &'static str, fence: i64) -> Actor {
        Actor {
            pid: session.pid,
            session: Arc::new(Mutex::new(session)),
            resource,
            fence,
            holder: Uuid::new_v4(),
        }
    }

    /// The same holder on another connection.
    pub(crate) fn again(&self, session: Session) -> Actor {
        Actor {
            holder: self.holder,
            ..Actor::new(session, self.resource, self.fence)
        }
    }

    /// Opens, reads if that went well, and commits: what a holder does first.
    pub(crate) async fn open(&self) -> String {
        self.start_open().outcome.done().await
    }

    /// The same beside the scenario.
    pub(crate) fn start_open(&self) -> Call {
        let (session, resource, fence, holder) = self.parts();
        self.call(async move {
            let mut session = session.lock().await;
            session.run("begin").await;
            let outcome = open_and_read(&mut session.connection, resource, fence, holder).await;
            end(&mut session, outcome).await
        })
    }

    /// Opens and reads, and has not committed yet.
    pub(crate) async fn open_and_hold(&self) {
        let (session, resource, fence, holder) = self.parts();
        let mut session = session.lock().await;
        session.run("begin").await;
        let outcome = open_and_read(&mut session.connection, resource, fence, holder).await;
        outcome.unwrap();
    }

    /// Begins, and looks at the ledger once: where the level says so, the snapshot is taken now.
    pub(crate) async fn begin_with_a_look(&self) {
        let mut session = self.session.lock().await;
        session.run("begin; select count(*) from entry").await;
    }

    /// Opens and reads in the transaction that was begun, and commits.
    pub(crate) async fn open_within(&self) -> String {
        let (session, resource, fence, holder) = self.parts();
        let mut session = session.lock().await;
        let outcome = open_and_read(&mut session.connection, resource, fence, holder).await;
        end(&mut session, outcome).await
    }

    pub(crate) async fn commit(&self) {
        self.session.lock().await.run("commit").await;
    }

    /// Writes, in a transaction of its own.
    pub(crate) async fn write(&self) -> String {
        self.start_write().outcome.done().await
    }

    /// The same beside the scenario.
    pub(crate) fn start_write(&self) -> Call {
        self.start_request(Uuid::new_v4())
    }

    /// Writes what a rightful holder must be able to write.
    pub(crate) async fn write_due(&self) -> String {
        self.start_due().await.outcome.done().await
    }

    /// The same beside the scenario.
    pub(crate) async fn start_due(&self) -> Call {
        let request = Uuid::new_v4();
        let mut session = self.session.lock().await;
        sqlx::query("insert into due values ($1, $2)")
            .bind(self.resource)
            .bind(request)
            .execute(&mut session.connection)
            .await
            .unwrap();
        drop(session);
        self.start_request(request)
    }

    fn start_request(&self, request: Uuid) -> Call {
        let (session, resource, fence, holder) = self.parts();
        self.call(async move {
            let mut session = session.lock().await;
            let outcome = sqlx::query_scalar("select write($1, $2, $3, $4)")
                .bind(resource)
                .bind(fence)
                .bind(holder)
                .bind(request)
                .fetch_one(&mut session.connection)
                .await;
            outcome.unwrap_or_else(|error| raised(&error))
        })
    }

    fn parts(&self) -> (Arc<Mutex<Session>>, &'static str, i64, Uuid) {
        (self.session.clone(), self.resource, self.fence, self.holder)
    }

    fn call(&self, work: impl Future<Output = String> + Send + 'static) -> Call {
        Call {
            pid: self.pid,
            outcome: start(work),
        }
    }
}

async fn open_and_read(
    connection: &mut PgConnection,
    resource: &str,
    fence: i64,
    holder: Uuid,
) -> Result<String, sqlx::Error> {
    let outcome: String = sqlx::query_scalar("select open($1, $2, $3)")
        .bind(resource)
        .bind(fence)
        .bind(holder)
        .fetch_one(&mut *connection)
        .await?;
    if matches!(outcome.as_str(), "opened" | "already open") {
        sqlx::query("select take_reading($1, $2)")
            .bind(resource)
            .bind(fence)
            .execute(connection)
            .await?;
    }
    Ok(outcome)
}

/// A guard that raises an error has let nothing happen: the transaction is rolled back.
async fn end(session: &mut Session, outcome: Result<String, sqlx::Error>) -> String {
    match outcome {
        Ok(outcome) => {
            session.run("commit").await;
            outcome
        }
        Err(error) => {
            session.run("rollback").await;
            raised(&error)
        }
    }
}

fn raised(error: &sqlx::Error) -> String {
    match error.as_database_error() {
        Some(answer) => format!("raised {answer}"),
        None => panic!("the connection of an actor broke: {error}"),
    }
}
