//! The incidents: who does what, and who waits for what. Every order is forced by an event: a worker says
//! that it has read, the kernel that it is stopped, Redis that the lease is gone.

use std::time::Duration;

use anyhow::{Context, bail};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::actor::Actor;
use crate::cell::{Cell, Incident};
use crate::log::Log;
use crate::stage::{Names, Stage};
use crate::wire::{Event, Exchange, Job, Order};

/// A's lease: long enough to acquire, open and read on a loaded machine, short enough to wait for.
const SHORT_TTL_MS: u64 = 1500;
/// Everybody else's: it does not end while the cell is played.
const LONG_TTL_MS: u64 = 60_000;
/// How long the short lease may take to expire.
const EXPIRES_WITHIN: Duration = Duration::from_secs(10);

/// A cell about to be played.
pub(crate) struct Scene<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) cell: Cell,
    pub(crate) names: &'a Names,
    pub(crate) log: &'a Log,
}

/// Plays the incident of the scene to its end.
pub(crate) async fn play(scene: &Scene<'_>) -> anyhow::Result<()> {
    let click = Uuid::new_v4();
    let mut a = scene.enter('A', click, SHORT_TTL_MS, true).await?;
    a.has_read().await?;
    a.freeze().await?;
    // What A does when it wakes; until then it sleeps past its lease.
    let gives_up = scene.cell.incident == Incident::ForeignRelease;
    a.order(if gives_up { Order::GiveUp } else { Order::GoOn })
        .await?;
    scene.lease_expires(&a).await?;
    match scene.cell.incident {
        Incident::ForeignRelease => foreign_release(scene, a).await,
        Incident::Redelivery => overtaken_by_one_who_is_done(scene, a, click).await,
        Incident::LateWake => overtaken_by_one_who_is_done(scene, a, Uuid::new_v4()).await,
        Incident::Window => window(scene, a).await,
    }
}

async fn foreign_release(scene: &Scene<'_>, mut a: Actor) -> anyhow::Result<()> {
    let mut b = scene.enter('B', Uuid::new_v4(), LONG_TTL_MS, true).await?;
    b.has_read().await?;
    a.wake()?;
    a.ends().await?;
    scene.look_at_lock(&b).await?;
    let c = scene.enter('C', Uuid::new_v4(), LONG_TTL_MS, false).await?;
    c.ends().await?;
    b.order(Order::GoOn).await?;
    b.ends().await
}

async fn overtaken_by_one_who_is_done(
    scene: &Scene<'_>,
    mut a: Actor,
    request: Uuid,
) -> anyhow::Result<()> {
    let b = scene.enter('B', request, LONG_TTL_MS, false).await?;
    b.ends().await?;
    a.wake()?;
    a.ends().await
}

async fn window(scene: &Scene<'_>, mut a: Actor) -> anyhow::Result<()> {
    let mut b = scene.enter('B', Uuid::new_v4(), LONG_TTL_MS, true).await?;
    b.has_read().await?;
    a.wake()?;
    a.ends().await?;
    b.order(Order::GoOn).await?;
    b.ends().await
}

impl Scene<'_> {
    async fn enter(
        &self,
        name: char,
        request: Uuid,
        ttl_ms: u64,
        waits_after_read: bool,
    ) -> anyhow::Result<Actor> {
        let names = self.names.clone();
        let job = Job {
            protection: self.cell.protection,
            redis_url: self.stage.pair.redis_url().to_owned(),
            database_url: self.stage.database_url.clone(),
            prefix: names.prefix,
            resource: names.resource,
            account: names.account,
            purpose: names.purpose,
            request,
            ttl_ms,
            waits_after_read,
        };
        Actor::start(name, &job, self.log).await
    }

    /// Waits until Redis says that the sleeper's lock is gone. Its time to live says how long to wait.
    async fn lease_expires(&self, sleeper: &Actor) -> anyhow::Result<()> {
        let key = self.lock_key()?;
        let mut redis = self.stage.redis.clone();
        let deadline = Instant::now() + EXPIRES_WITHIN;
        loop {
            let left_ms: i64 = redis::cmd("PTTL").arg(&key).query_async(&mut redis).await?;
            match left_ms {
                -2 => break,
                _ if Instant::now() > deadline => bail!("A's lease is still there: PTTL {left_ms}"),
                left_ms => sleep(Duration::from_millis(left_ms.max(1).cast_unsigned())).await,
            }
        }
        let redis = Exchange {
            command: "PTTL lock".to_owned(),
            reply: "-2".to_owned(),
        };
        sleeper.note(Event::Expired { redis });
        Ok(())
    }

    /// Looks whether the worker still has the lock that it took.
    async fn look_at_lock(&self, worker: &Actor) -> anyhow::Result<()> {
        let mut redis = self.stage.redis.clone();
        let value: Option<String> = redis::cmd("GET")
            .arg(self.lock_key()?)
            .query_async(&mut redis)
            .await?;
        let note = match value {
            None => "its lock is gone, and it does not know",
            Some(_) => "it keeps its lock",
        };
        let reply = value.map_or("(nil)".to_owned(), |value| {
            // The first block of the holder's UUID is enough.
            value.split('-').next().unwrap_or_default().to_owned()
        });
        let redis = Exchange {
            command: "GET lock".to_owned(),
            reply,
        };
        worker.note(Event::LockSeen {
            redis,
            note: note.to_owned(),
        });
        Ok(())
    }

    fn lock_key(&self) -> anyhow::Result<String> {
        let Names {
            prefix, resource, ..
        } = self.names;
        if self.cell.protection.is_fenced() {
            let prefix = lease_lock::Prefix::new(prefix).context("the run's prefix")?;
            return Ok(prefix.lease_key(&resource.parse()?));
        }
        Ok(crate::worker::plain_key(prefix, resource))
    }
}
