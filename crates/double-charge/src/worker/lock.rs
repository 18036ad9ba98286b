//! The locks: the article's two, which are wrong, and the fenced lease.

use anyhow::Context;
use fence_guard::OpenPermit;
use lease_lock::{Attempt, LeaseLock, Prefix, Resource, Ttl};
use redis::aio::MultiplexedConnection;
use uuid::Uuid;

use super::book::Book;
use super::{Voice, fenced};
use crate::cell::Protection;
use crate::patience::connect_redis;
use crate::wire::{Event, Exchange, Job, short};

/// Compare-and-delete, as the article's second lock does it.
const COMPARE_AND_DELETE: &str = include_str!("../../lua/compare_and_delete.lua");

/// A lock that nobody has taken yet.
pub(crate) enum Lock {
    /// WRONG ON PURPOSE. SET NX PX, with the owner's token as value, or "1" for everybody.
    Plain {
        redis: MultiplexedConnection,
        key: String,
        owner: Option<Uuid>,
    },
    /// The fenced lease of `lease-lock`.
    Lease { locks: LeaseLock, attempt: Attempt },
}

/// A lock that this worker has taken, as far as it knows.
pub(crate) enum Taken {
    Plain {
        redis: MultiplexedConnection,
        key: String,
        owner: Option<Uuid>,
    },
    Lease {
        lease: lease_lock::Lease,
        open: Option<OpenPermit>,
    },
}

/// What a charge is shown as a pass.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pass<'a> {
    None,
    Fence(lease_lock::Fence),
    Open(&'a OpenPermit),
}

impl Lock {
    pub(crate) async fn connect(job: &Job) -> anyhow::Result<Lock> {
        if job.protection.is_fenced() {
            let locks = LeaseLock::connect(&job.redis_url, Prefix::new(&job.prefix)?).await?;
            let resource = Resource::new(&job.resource)?;
            let attempt = Attempt::new(resource, Ttl::from_millis(job.ttl_ms)?);
            return Ok(Lock::Lease { locks, attempt });
        }
        let redis = connect_redis(&job.redis_url)
            .await
            .context("Redis is away")?;
        let owner = (job.protection != Protection::SharedValue).then(Uuid::new_v4);
        Ok(Lock::Plain {
            redis,
            key: plain_key(&job.prefix, &job.resource),
            owner,
        })
    }

    /// Tries to take the lock, once; `None` if another has it.
    pub(crate) async fn take(
        self,
        job: &Job,
        book: &Book,
        voice: &mut Voice,
    ) -> anyhow::Result<Option<Taken>> {
        match self {
            Lock::Lease { locks, attempt } => {
                let lease = fenced::acquire(&locks, attempt, book, voice).await?;
                Ok(lease.map(|lease| Taken::Lease { lease, open: None }))
            }
            Lock::Plain {
                mut redis,
                key,
                owner,
            } => {
                let reply: Option<String> = redis::cmd("SET")
                    .arg(&key)
                    .arg(owner.map_or("1".to_owned(), |owner| owner.to_string()))
                    .arg("NX")
                    .arg("PX")
                    .arg(job.ttl_ms)
                    .query_async(&mut redis)
                    .await?;
                let shown = owner.map_or("1".to_owned(), short);
                let exchange = Exchange {
                    command: format!("SET lock {shown} NX PX {}", job.ttl_ms),
                    reply: reply.clone().unwrap_or_else(|| "(nil)".to_owned()),
                };
                if reply.is_none() {
                    voice.tell(Event::KeptOut { redis: exchange });
                    return Ok(None);
                }
                voice.tell(Event::Acquired {
                    redis: exchange,
                    fence: None,
                });
                Ok(Some(Taken::Plain { redis, key, owner }))
            }
        }
    }
}

impl Taken {
    /// Opens the resource, where the protection says so: before the first read.
    pub(crate) async fn open(&mut self, book: &Book, voice: &mut Voice) -> anyhow::Result<()> {
        if let (Taken::Lease { lease, open }, Some(guard)) = (self, book.guard()) {
            *open = Some(fenced::open(lease, guard, voice).await?);
        }
        Ok(())
    }

    pub(crate) fn pass(&self) -> Pass<'_> {
        match self {
            Taken::Plain { .. } => Pass::None,
            Taken::Lease { lease, open: None } => Pass::Fence(lease.fence()),
            Taken::Lease {
                open: Some(open), ..
            } => Pass::Open(open),
        }
    }

    /// Leaves: closes what it opened, then releases.
    pub(crate) async fn leave(self, book: &Book, voice: &mut Voice) -> anyhow::Result<()> {
        match self {
            Taken::Lease { lease, open } => {
                if let (Some(open), Some(guard)) = (open, book.guard()) {
                    fenced::close(&lease, &open, guard, voice).await?;
                }
                fenced::release(lease, voice).await
            }
            Taken::Plain { redis, key, owner } => {
                let redis = delete(redis, &key, owner).await?;
                voice.tell(Event::Released { redis });
                Ok(())
            }
        }
    }
}

/// The key of the article's lock.
pub(crate) fn plain_key(prefix: &str, resource: &str) -> String {
    format!("{prefix}lock:{resource}")
}

/// Deletes the lock: whoever's it is, or only the owner's.
async fn delete(
    mut redis: MultiplexedConnection,
    key: &str,
    owner: Option<Uuid>,
) -> anyhow::Result<Exchange> {
    let (command, deleted): (_, i64) = match owner {
        None => (
            "DEL lock".to_owned(),
            redis::cmd("DEL").arg(key).query_async(&mut redis).await?,
        ),
        Some(owner) => {
            let script = redis::Script::new(COMPARE_AND_DELETE);
            let deleted = script
                .key(key)
                .arg(owner.to_string())
                .invoke_async(&mut redis)
                .await?;
            (format!("compare-and-delete lock {}", short(owner)), deleted)
        }
    };
    Ok(Exchange {
        command,
        reply: deleted.to_string(),
    })
}
