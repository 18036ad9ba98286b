//! Once per window of time.

use redis::{Cmd, Value};

use super::{LookalikeError, bounded};
use crate::{LeaseLock, Ttl};

/// Lets a name through once per window: a double click, a message delivered twice.
///
/// **Not a lock.** It says *I have seen this lately*, and not *I am working on it*. Nobody releases
/// it: it ends with its time, whether the work went well or not. So its value proves nothing to
/// anybody, and may be fixed. Whoever must not do the work twice *ever* needs a unique request id in
/// the store; whoever must not do it at the same time as others needs a lease.
#[derive(Debug, Clone)]
pub struct DedupWindow {
    lock: LeaseLock,
    window: Ttl,
}

/// What a window says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "a repeat is to be dropped"]
pub enum Seen {
    /// Nobody came with this name during the last window. It begins now.
    First,
    /// Somebody did. The window is not prolonged.
    Again,
}

impl DedupWindow {
    /// A window of this length, over the connection and under the prefix of a client.
    pub fn new(lock: &LeaseLock, window: Ttl) -> DedupWindow {
        let lock = lock.clone();
        DedupWindow { lock, window }
    }

    /// Notes a name of 1 to 512 bytes, and says whether it is the first time in its window. One
    /// command.
    ///
    /// # Errors
    /// [`LookalikeError`]. When it is [`Unknown`](LookalikeError::Unknown), the name may have been
    /// noted, and asking again may answer [`Seen::Again`] to the very first. Decide what a window is
    /// worth: go on, and do it twice at worst, or drop it, and do it not at all at worst.
    pub async fn note(&self, name: &str) -> Result<Seen, LookalikeError> {
        let key = format!("{}seen:{}", self.lock.prefix(), bounded(name)?);
        let mut cmd = Cmd::with_capacity(6, 64 + key.len());
        cmd.arg("SET").arg(key).arg("1");
        cmd.arg("NX").arg("PX").arg(self.window.as_millis());
        match self.lock.command(&cmd).await {
            Ok(Value::Nil) => Ok(Seen::Again),
            Ok(_) => Ok(Seen::First),
            Err(error) => Err(LookalikeError::Unknown(error)),
        }
    }
}
