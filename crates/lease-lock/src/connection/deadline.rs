//! Until when a call waits for its answer.

use std::io;
use std::time::{Duration, Instant};

use redis::RedisResult;
use tokio::time::timeout_at;

/// How long a call waits for its answer, a reconnect included. Then its fate is *unknown*.
///
/// Long enough for a round trip between regions or a stall of Redis' disk, short enough that a
/// service fails closed while its own caller still listens. Waiting for a lease never holds a call.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// When a call gives its answer up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn of_a_call_from_now() -> Deadline {
        Deadline(Instant::now() + ANSWER_TIMEOUT)
    }

    /// Whether so much time is left.
    pub(super) fn leaves(self, time: Duration) -> bool {
        Instant::now() + time < self.0
    }

    pub(super) async fn bound<T>(
        self,
        call: impl Future<Output = RedisResult<T>>,
    ) -> RedisResult<T> {
        match timeout_at(self.0.into(), call).await {
            Ok(answer) => answer,
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer within 1 s").into()),
        }
    }
}
