//! Where a client listens for wakes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fence::Resource;
use redis::RedisResult;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::Prefix;
use crate::bucket::Bucket;
use crate::connection::Connection;

/// The channels of one client: one for everything, `<prefix>wake:<client>`; in a Cluster one per bucket,
/// `<prefix>wake:{b17}:<client>`.
///
/// A release wakes a waiter inside of a script, and has to know whether it was heard. In a Cluster only a
/// shard channel tells that: it lives on the node that has the slot of the lease. `lua/queue.lua` knows
/// such a channel by its brace.
pub(crate) struct Channels {
    prefix: Prefix,
    client: Uuid,
    is_cluster: bool,
    /// Whether the server lets this connection listen there; unknown before the first contention.
    open: Mutex<HashMap<Option<Bucket>, Arc<OnceCell<bool>>>>,
}

impl Channels {
    pub(crate) fn new(prefix: &Prefix, is_cluster: bool) -> Channels {
        Channels {
            prefix: prefix.clone(),
            client: Uuid::new_v4(),
            is_cluster,
            open: Mutex::default(),
        }
    }

    /// The channel on which the wakes of a resource come.
    pub(crate) fn of(&self, resource: &Resource) -> String {
        let Channels { prefix, client, .. } = self;
        match self.bucket(resource) {
            None => format!("{prefix}wake:{client}"),
            Some(bucket) => format!("{prefix}wake:{bucket}:{client}"),
        }
    }

    pub(crate) fn is_open(&self, resource: &Resource) -> bool {
        let open = self.lock();
        let channel = open.get(&self.bucket(resource));
        channel.is_some_and(|channel| channel.get() == Some(&true))
    }

    /// Begins to listen, once. `false` where the server does not let this user, or where a Cluster has
    /// no shard channels (Redis < 7.0).
    pub(crate) async fn open(
        &self,
        connection: &Connection,
        resource: &Resource,
    ) -> RedisResult<bool> {
        let channel = self
            .lock()
            .entry(self.bucket(resource))
            .or_default()
            .clone();
        let subscribe = async || {
            let name = self.of(resource);
            match connection.subscribe(&name).await {
                Ok(()) => Ok(true),
                Err(error) if matches!(error.code(), Some("NOPERM" | "ERR")) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        redis.channel = name,
                        "may not subscribe: waiting goes by timers, without order; allow this channel"
                    );
                    Ok(false)
                }
                Err(error) => Err(error),
            }
        };
        channel.get_or_try_init(subscribe).await.copied()
    }

    /// A connection was lost, or a slot has moved. Each waiter sees to it that it is heard of before it
    /// queues again: at the right node of a Cluster, and on a connection that does not know the channels of
    /// the last one.
    pub(crate) fn closed(&self) {
        self.lock().clear();
    }

    fn bucket(&self, resource: &Resource) -> Option<Bucket> {
        self.is_cluster.then(|| Bucket::of(resource))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Option<Bucket>, Arc<OnceCell<bool>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
