//! One server.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, RedisError, RedisResult, Value};
use tokio::runtime::Handle;

use super::{Ear, disconnection};

/// How often a lost connection is tried again before the waiting calls fail; the next call starts
/// over. With the pauses below, jittered, that takes 0.3 to 0.6 s, so a refused connection is an error
/// within [`ANSWER_TIMEOUT`](super::deadline::ANSWER_TIMEOUT).
const RECONNECTS: usize = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// One multiplexed connection that reconnects by itself.
#[derive(Clone)]
pub(super) struct One(Arc<Inner>);

struct Inner {
    client: Client,
    config: ConnectionManagerConfig,
    current: Mutex<Numbered>,
    ear: Ear,
    /// Where connections are kept, whoever calls.
    runtime: Handle,
}

/// A manager, and which one it is: each refusal replaces it once, however many calls hear of it.
#[derive(Clone)]
struct Numbered {
    number: u64,
    manager: ConnectionManager,
}

impl One {
    /// Connects.
    pub(super) async fn open(client: Client, ear: Ear) -> RedisResult<One> {
        let config = config(ear.clone());
        let manager = ConnectionManager::new_with_config(client.clone(), config.clone()).await?;
        Ok(One::with(client, config, manager, ear))
    }

    /// Connects at the first call.
    pub(super) fn lazily(client: Client, ear: Ear) -> RedisResult<One> {
        let config = config(ear.clone());
        let manager = ConnectionManager::new_lazy_with_config(client.clone(), config.clone())?;
        Ok(One::with(client, config, manager, ear))
    }

    fn with(
        client: Client,
        config: ConnectionManagerConfig,
        manager: ConnectionManager,
        ear: Ear,
    ) -> One {
        let number = 0;
        One(Arc::new(Inner {
            client,
            config,
            current: Mutex::new(Numbered { number, manager }),
            ear,
            runtime: Handle::current(),
        }))
    }

    /// Sends one command.
    ///
    /// The manager remembers that its last reconnect failed, and tells it to the first call that
    /// comes after Redis has healed. A refused connection never carried a command, so that call
    /// is safe to send again; it then waits for a new connection.
    pub(super) async fn send(&self, cmd: &Cmd) -> RedisResult<Value> {
        let mut current = self.current().clone();
        let sent = match current.manager.send_packed_command(cmd).await {
            Err(error) if error.is_connection_refusal() => {
                current.manager.send_packed_command(cmd).await
            }
            sent => sent,
        };
        if sent.as_ref().is_err_and(is_turned_away) {
            self.replace(current.number);
        }
        sent
    }

    pub(super) async fn subscribe(&self, channel: &str) -> RedisResult<()> {
        let mut manager = self.current().manager.clone();
        manager.subscribe(channel).await
    }

    /// Gives a manager up that no call can use any more; the next call connects anew. Whoever listened
    /// through it is told.
    fn replace(&self, number: u64) {
        let _kept_there = self.0.runtime.enter();
        {
            let mut current = self.current();
            if current.number != number {
                return;
            }
            let (client, config) = (self.0.client.clone(), self.0.config.clone());
            match ConnectionManager::new_lazy_with_config(client, config) {
                Ok(manager) => {
                    let number = number + 1;
                    *current = Numbered { number, manager };
                }
                // It made one of the same settings before.
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(error, "cannot prepare a new connection");
                    return;
                }
            }
        }
        (self.0.ear)(disconnection());
    }

    fn current(&self) -> MutexGuard<'_, Numbered> {
        let current = &self.0.current;
        current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the server was there and did not let the client in: a wrong password, or no room for one more
/// client. An answer to a command, also a refusal, is no such error. The manager tries again after errors
/// of the network alone; this one it would tell to every later call.
fn is_turned_away(error: &RedisError) -> bool {
    !error.is_io_error()
}

fn config(ear: Ear) -> ConnectionManagerConfig {
    ConnectionManagerConfig::new()
        .set_number_of_retries(RECONNECTS)
        .set_min_delay(FIRST_PAUSE)
        .set_max_delay(LONGEST_PAUSE)
        .set_push_sender(move |push| {
            ear(push);
            Ok::<(), Infallible>(())
        })
        // What was subscribed is subscribed again on each new connection, before anything else.
        .set_automatic_resubscription()
        // One timer, around each call, covers the reconnect as well; a second one adds nothing.
        .set_response_timeout(None)
}
