//! What Redis says to those of this client who wait, and who of them looks when it says nothing.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use fence::Resource;
use redis::{FromRedisValue, PushInfo, PushKind, RedisResult};

use crate::channels::Channels;
use crate::connection::Connection;
use crate::leave::Leaver;
use crate::lock::Shared;
use crate::waiters::{Alarm, Signal, Waiters};
use crate::{LeaseLock, Prefix};

/// For how long a lease is reserved for the waiter that was woken; `lua/queue.lua` has the same.
pub(crate) const RESERVED: Duration = Duration::from_millis(500);

/// The ear of one client: where it listens, and who of it waits.
pub(crate) struct Wakes {
    prefix: Prefix,
    channels: Channels,
    waiters: Mutex<Waiters>,
    /// Passes on what is for a waiter that has gone.
    client: OnceLock<Weak<Shared>>,
}

impl Wakes {
    pub(crate) fn new(prefix: Prefix, is_cluster: bool) -> Wakes {
        Wakes {
            channels: Channels::new(&prefix, is_cluster),
            prefix,
            waiters: Mutex::default(),
            client: OnceLock::new(),
        }
    }

    /// Tells whose ear it is, once the client is made.
    pub(crate) fn belong_to(&self, client: Weak<Shared>) {
        let _ = self.client.set(client);
    }

    /// Whether the client listens to the wakes of this resource already.
    pub(crate) fn is_listening(&self, resource: &Resource) -> bool {
        self.channels.is_open(resource)
    }

    /// Begins to listen, once. `false` where the server does not let this user.
    pub(crate) async fn listen(
        &self,
        connection: &Connection,
        resource: &Resource,
    ) -> RedisResult<bool> {
        self.channels.open(connection, resource).await
    }

    pub(crate) fn enter(&self, resource: &Resource) -> (u64, Arc<Signal>) {
        self.waiters().enter(resource)
    }

    pub(crate) fn leave(&self, number: u64) {
        self.waiters().leave(number);
    }

    /// A waiter of this client as Redis knows it.
    pub(crate) fn name(&self, number: u64, resource: &Resource) -> String {
        format!("{number}@{}", self.channels.of(resource))
    }

    /// Notes until when a lease lives, and whether the first in the queue is of this client.
    pub(crate) fn learned(&self, resource: &Resource, ends: Instant, first: bool) {
        self.waiters().learned(resource, ends, first);
    }

    pub(crate) fn alarm(&self, number: u64) -> Alarm {
        self.waiters().alarm(number)
    }

    /// What the connection has heard.
    pub(crate) fn hear(&self, push: PushInfo) {
        match push.kind {
            // What was published meanwhile is lost, and so may be every place in every queue. A node from
            // which a slot has moved away says so by ending the subscription.
            PushKind::Disconnection | PushKind::SUnsubscribe => {
                self.channels.closed();
                self.waiters().wake_all();
            }
            PushKind::Message | PushKind::SMessage => {
                let text = push.data.into_iter().nth(1).map(String::from_redis_value);
                if let Some(Ok(text)) = text {
                    self.obey(&text);
                }
            }
            _ => {}
        }
    }

    /// The messages of `lua/queue.lua`.
    fn obey(&self, message: &str) {
        let mut words = message.splitn(3, ' ');
        let (word, number, key) = (words.next(), words.next(), words.next());
        let number = number.and_then(|number| number.parse().ok());
        let resource = key.and_then(|key| self.prefix.resource_of(key));
        match (word, number, resource) {
            (Some("wake"), Some(number), Some(resource)) => {
                if !self.waiters().wake(number) {
                    self.pass_on(number, resource);
                }
            }
            (Some("watch"), Some(ms), Some(resource)) => {
                self.waiters().watch(&resource, Duration::from_millis(ms));
            }
            (Some("again"), ..) => self.waiters().wake_all(),
            _ => tracing::debug!(message, "an unknown message about a lease"),
        }
    }

    /// The waiter gave up and the wake came all the same: the next one gets its turn at once.
    fn pass_on(&self, number: u64, resource: Resource) {
        if let Some(client) = self.client.get().and_then(Weak::upgrade) {
            LeaseLock(client).leave_in_background(Leaver {
                waiter: self.name(number, &resource),
                resource,
                unread: None,
            });
        }
    }

    fn waiters(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
