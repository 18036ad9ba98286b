//! Where one scenario is played over one guard.

use std::sync::{Arc, Mutex};

use promises::{Session, World};
use sqlx::AssertSqlSafe;

use crate::actor::{Actor, Call};
use crate::guards::Guard;

const CHECK: &str = include_str!("check.sql");

/// One resource in the schema of one guard, the holders that use it, and the gate at which writes
/// stand while the scenario holds it.
pub(crate) struct Stage {
    world: Arc<World>,
    schema: String,
    isolation: String,
    resource: &'static str,
    /// The backends of this stage: whoever waits here waits for one of them.
    pids: Mutex<Vec<i32>>,
}

/// What the checker found, and the scenario that brought it about.
pub(crate) struct Conviction {
    pub(crate) rule: String,
    pub(crate) finding: String,
    pub(crate) scenario: &'static str,
}

/// Holds every write of the resource before its commit, until it is opened.
pub(crate) struct Gate(Session);

impl Stage {
    pub(crate) async fn new(world: Arc<World>, guard: &Guard, scenario: &'static str) -> Stage {
        let mut stage = Stage {
            world,
            schema: guard.name.clone(),
            isolation: "read committed".to_owned(),
            resource: scenario,
            pids: Mutex::default(),
        };
        let mut session = stage.session().await;
        stage.isolation = sqlx::query_scalar("select isolation()")
            .fetch_one(&mut session.connection)
            .await
            .unwrap();
        sqlx::query("insert into tally (resource) values ($1)")
            .bind(scenario)
            .execute(&mut session.connection)
            .await
            .unwrap();
        stage
    }

    /// A new holder under this fence.
    pub(crate) async fn holder(&self, fence: i64) -> Actor {
        Actor::new(self.session().await, self.resource, fence)
    }

    /// Another process of the same holder.
    pub(crate) async fn process_of(&self, holder: &Actor) -> Actor {
        holder.again(self.session().await)
    }

    /// Closes the gate. Who writes as part of an UPDATE waits for its row, too, and finds it changed.
    pub(crate) async fn close_gate(&self) -> Gate {
        let mut session = self.session().await;
        session.run("begin").await;
        sqlx::query(
            "with changed as (update tally set writes = writes + 1 where resource = $1)
             select pg_advisory_xact_lock(gate_key($1))",
        )
        .bind(self.resource)
        .execute(&mut session.connection)
        .await
        .unwrap();
        Gate(session)
    }

    /// Returns once the call is over, or waits for somebody on this stage.
    pub(crate) async fn settle(&self, call: &Call) {
        let pids = self.pids.lock().unwrap().clone();
        let is_over = || !call.outcome.is_running();
        self.world.blocked_or(call.pid, &pids, is_over).await;
    }

    /// What the rows say.
    pub(crate) async fn convictions(&self) -> Vec<Conviction> {
        let mut session = self.session().await;
        let rows: Vec<(String, String)> = sqlx::query_as(CHECK)
            .bind(self.resource)
            .fetch_all(&mut session.connection)
            .await
            .unwrap();
        let convict = |(rule, finding)| Conviction {
            rule,
            finding,
            scenario: self.resource,
        };
        rows.into_iter().map(convict).collect()
    }

    async fn session(&self) -> Session {
        let mut session = self.world.session().await;
        let (schema, isolation) = (&self.schema, &self.isolation);
        let settings = format!(
            "set search_path = {schema}; set default_transaction_isolation = '{isolation}'"
        );
        session.run(AssertSqlSafe(settings)).await;
        self.pids.lock().unwrap().push(session.pid);
        session
    }
}

impl Gate {
    pub(crate) async fn open(mut self) {
        self.0.run("commit").await;
    }
}
