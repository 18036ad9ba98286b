//! One server.

use std::convert::Infallible;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, RedisResult, Value};

use super::Ear;

/// How often a lost connection is tried again before the waiting calls fail; the next call starts
/// over. With the pauses below, jittered, that takes 0.3 to 0.6 s, so a refused connection is an error
/// within [`ANSWER_TIMEOUT`](super::deadline::ANSWER_TIMEOUT).
const RECONNECTS: usize = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// One multiplexed connection that reconnects by itself.
#[derive(Clone)]
pub(super) struct One {
    manager: ConnectionManager,
}

impl One {
    pub(super) async fn open(client: Client, ear: Ear) -> RedisResult<One> {
        let config = ConnectionManagerConfig::new()
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
            .set_response_timeout(None);
        let manager = ConnectionManager::new_with_config(client, config).await?;
        Ok(One { manager })
    }

    /// Sends one command.
    ///
    /// The manager remembers that its last reconnect failed, and tells it to the first call that
    /// comes after Redis has healed. A refused connection never carried a command, so that call
    /// is safe to send again; it then waits for a new connection.
    pub(super) async fn send(&self, cmd: &Cmd) -> RedisResult<Value> {
        let mut manager = self.manager.clone();
        match manager.send_packed_command(cmd).await {
            Err(error) if error.is_connection_refusal() => manager.send_packed_command(cmd).await,
            sent => sent,
        }
    }

    pub(super) async fn subscribe(&self, channel: &str) -> RedisResult<()> {
        self.manager.clone().subscribe(channel).await
    }
}
