//! How long the story waits for anything: far more than it takes. Only a machine that stands still, or a
//! bug, runs into it.

use std::time::Duration;

use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;

/// For a worker to reach the point that it is awaited at, and for a server to answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A connection that outwaits a stall of Redis. The client's own limit, half a second, would turn a stall
/// into an outcome of the story.
pub(crate) async fn connect_redis(url: &str) -> redis::RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
    redis::Client::open(url)?
        .get_multiplexed_async_connection_with_config(&config)
        .await
}
