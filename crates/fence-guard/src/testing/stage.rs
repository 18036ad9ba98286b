//! Where one scenario is played: a resource of its own, the holders that use it, and the kit's own eyes.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fence::{Fence, Holder, Permit, Resource};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use uuid::Uuid;

use super::actor::{Actor, Call};
use super::claims::Claims;
use super::gate::{ClosedGate, Gate};
use super::outcome::Rejected;
use super::rule::Rule;
use super::stop::Stop;
use super::subject::Subject;

/// Whoever has to wait is seen waiting within this time, also on a busy machine.
const SEEN_WITHIN: Duration = Duration::from_secs(20);
/// How often Postgres is asked. It tells nobody that somebody has begun to wait.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// A process of a service seldom needs more connections than two for what it does once.
const CONNECTIONS: u32 = 3;
/// What the gate's keeper calls itself, after the stage's prefix.
const GATE: &str = "gate";

/// One scenario over one subject.
pub(super) struct Stage<S: Subject> {
    pub(super) subject: Arc<S>,
    pub(super) claims: Claims,
    pub(super) resource: Resource,
    pub(super) operator: PgPool,
    /// The process that prepares.
    clerk: Arc<S::Instance>,
    /// Before each application name of this stage.
    prefix: String,
}

/// What became of a call that may have to wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Settled {
    /// It is over.
    Over,
    /// It waits for these.
    Waits(Vec<String>),
}

impl<S: Subject> Stage<S> {
    /// A stage with a resource of its own, on which the subject has prepared for effects.
    pub(super) async fn new(
        subject: &Arc<S>,
        operator: &PgPool,
        clerk: &Arc<S::Instance>,
    ) -> Result<Stage<S>, Stop> {
        let name = Uuid::new_v4().simple().to_string();
        let stage = Stage {
            subject: subject.clone(),
            claims: subject.claims(),
            resource: named(&format!("kit:{name}")),
            operator: operator.clone(),
            clerk: clerk.clone(),
            prefix: format!("fence-kit {}/", &name[..8]),
        };
        stage.prepare(&stage.resource).await?;
        Ok(stage)
    }

    /// Another resource that is ready for effects.
    pub(super) async fn another_resource(&self) -> Result<Resource, Stop> {
        let resource = named(&format!("{}:other", self.resource));
        self.prepare(&resource).await?;
        Ok(resource)
    }

    /// A holder of the stage's resource under this fence, in a process of its own.
    pub(super) async fn holder(&self, who: &'static str, fence: u64) -> Result<Actor<S>, Stop> {
        let permit = Permit::new(self.resource.clone(), number(fence), Holder::random());
        self.process(who, permit, self.claims.service.clone()).await
    }

    /// A process with this permit, whose connections have these options.
    pub(super) async fn process(
        &self,
        who: &'static str,
        permit: Permit,
        options: PgConnectOptions,
    ) -> Result<Actor<S>, Stop> {
        let application = format!("{}{who}", self.prefix);
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .test_before_acquire(false)
            .connect_with(options.application_name(&application))
            .await;
        let pool = match pool {
            Ok(pool) => pool,
            Err(error) => return Stop::unplayed(format!("the service could not connect: {error}")),
        };
        let instance = self.in_time("start", self.subject.start(pool)).await?;
        Ok(Actor::new(
            who,
            application,
            self.subject.clone(),
            instance,
            permit,
            self.claims.patience,
        ))
    }

    /// Holds up every write of effects at this gate.
    pub(super) async fn close_gate(&self, gate: Gate) -> Result<ClosedGate, Stop> {
        self.close_gate_of(gate, &self.claims.effects).await
    }

    /// Holds up every opening before its commit.
    pub(super) async fn close_gate_of_openings(&self) -> Result<ClosedGate, Stop> {
        let openings = [self.claims.openings.clone()];
        self.close_gate_of(Gate::BeforeCommit, &openings).await
    }

    async fn close_gate_of(&self, gate: Gate, tables: &[String]) -> Result<ClosedGate, Stop> {
        let options = self.claims.operator.clone();
        let application = format!("{}{GATE}", self.prefix);
        let keeper = PgPoolOptions::new()
            .max_connections(1)
            .connect_with(options.application_name(&application))
            .await?;
        Ok(gate.close(&keeper, tables).await?)
    }

    /// Returns once the call is over, or waits for somebody.
    pub(super) async fn settle<T>(&self, call: &Call<T>) -> Result<Settled, Stop> {
        let deadline = Instant::now() + SEEN_WITHIN;
        loop {
            let is_over = call.is_over();
            let waits = self.waits_for(call.application()).await?;
            if !waits.is_empty() {
                return Ok(Settled::Waits(waits));
            }
            if is_over {
                return Ok(Settled::Over);
            }
            if Instant::now() > deadline {
                return Stop::unplayed(format!(
                    "{} neither ended nor waited in Postgres within {SEEN_WITHIN:?}",
                    call.who()
                ));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Returns the call, which nobody may keep from going on, once it stands at the closed gate.
    pub(super) async fn at_gate<T: Debug>(
        &self,
        call: Call<Result<T, Rejected>>,
    ) -> Result<Call<Result<T, Rejected>>, Stop> {
        let who = call.who();
        let deadline = Instant::now() + SEEN_WITHIN;
        while let Settled::Waits(by) = self.settle(&call).await? {
            if by.iter().any(|name| name == GATE) {
                return Ok(call);
            }
            if Instant::now() > deadline {
                let seen = format!(
                    "{who}, whom nobody had overtaken, waited for {}",
                    by.join(", ")
                );
                return Stop::broken(Rule::S10, seen);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        match call.done().await? {
            Err(rejected) => Stop::broken(
                Rule::S10,
                format!("{who}, whom nobody had overtaken, was turned away: {rejected}"),
            ),
            Ok(_) => Stop::unplayed(format!(
                "{who} was done before it came to a gate: name the tables that keep the effects \
                 (Claims::effects) and the openings (Claims::openings)"
            )),
        }
    }

    /// Returns the state of the actor's sessions, once none of them is at work.
    pub(super) async fn state_of<T>(&self, call: &Call<T>) -> Result<Vec<String>, Stop> {
        let deadline = Instant::now() + SEEN_WITHIN;
        loop {
            let states: Vec<String> = sqlx::query_scalar(include_str!("sql/states.sql"))
                .bind(call.application())
                .fetch_all(&self.operator)
                .await?;
            if states.iter().any(|state| state == "not visible") {
                return Stop::unplayed(
                    "the operator may not see what the service's sessions do: make it a member of the \
                     service's role, or of pg_read_all_stats",
                );
            }
            if !states.iter().any(|state| state == "active") {
                return Ok(states);
            }
            if Instant::now() > deadline {
                return Stop::unplayed(format!(
                    "{}'s sessions were at work for {SEEN_WITHIN:?} although it stood still",
                    call.who()
                ));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// How many effects on the stage's resource there are.
    pub(super) async fn effects(&self) -> Result<i64, Stop> {
        Ok(self.subject.effects(&self.operator, &self.resource).await?)
    }

    /// Whom an actor's sessions wait for, by the names that they have on this stage.
    async fn waits_for(&self, application: &str) -> Result<Vec<String>, Stop> {
        let names: Vec<String> = sqlx::query_scalar(include_str!("sql/waits_for.sql"))
            .bind(application)
            .fetch_all(&self.operator)
            .await?;
        let short = |name: String| match name.strip_prefix(&self.prefix) {
            Some(short) => short.to_owned(),
            None => name,
        };
        Ok(names.into_iter().map(short).collect())
    }

    async fn prepare(&self, resource: &Resource) -> Result<(), Stop> {
        let prepared = self.subject.prepare(&self.clerk, resource);
        match self.in_time("prepare", prepared).await? {
            Ok(()) => Ok(()),
            Err(rejected) => Stop::unplayed(format!("the service could not prepare: {rejected}")),
        }
    }

    /// What the service does before anybody holds anything up. One that hangs there is told so, with its bound.
    async fn in_time<T>(&self, what: &str, work: impl Future<Output = T>) -> Result<T, Stop> {
        let patience = self.claims.patience;
        match tokio::time::timeout(patience, work).await {
            Ok(done) => Ok(done),
            Err(_) => Stop::unplayed(format!(
                "the service did not {what} within {patience:?} (Claims::patience)"
            )),
        }
    }
}

fn named(name: &str) -> Resource {
    // Letters, digits and colons, and far below the bound of a name.
    Resource::new(name).expect("the kit's names are names of resources")
}

pub(super) fn number(fence: u64) -> Fence {
    Fence::new(fence).expect("the kit's fences are small numbers above zero")
}
