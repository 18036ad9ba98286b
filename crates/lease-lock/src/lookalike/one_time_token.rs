//! A token that is worth something once.

use std::fmt;
use std::str::FromStr;

use redis::{Cmd, FromRedisValue};
use uuid::Uuid;

use super::{LookalikeError, bounded};
use crate::{LeaseLock, Prefix, Ttl};

/// A token that its bearer can burn once: a link in a mail, the permission to open one stream.
///
/// **Not a lock.** Whoever has it may burn it, it need not be the one who asked for it, and it is
/// taken back by nobody. Reading and deleting are one command (`GETDEL`), so of two bearers that come
/// at once exactly one gets the payload.
///
/// It is as secret as a password while it lives: `Debug` does not show it, `Display` does.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OneTimeToken(Uuid);

/// What became of a token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[must_use = "a token that is gone permits nothing"]
pub enum Burned {
    /// It was there, and is worth nothing from now on.
    Now {
        /// What it was issued for.
        payload: String,
    },
    /// It was burned before, or its time is over, or it never was.
    Gone,
}

impl OneTimeToken {
    /// Issues a token of 122 random bits for `ttl`. The payload, 1 to 512 bytes, says what for.
    ///
    /// # Errors
    /// [`LookalikeError`]. After [`Unknown`](LookalikeError::Unknown) issue another one: nobody
    /// knows the first.
    pub async fn issue(
        lock: &LeaseLock,
        payload: &str,
        ttl: Ttl,
    ) -> Result<OneTimeToken, LookalikeError> {
        let token = OneTimeToken(Uuid::new_v4());
        let mut cmd = Cmd::new();
        cmd.arg("SET")
            .arg(token.key(lock.prefix()))
            .arg(bounded(payload)?);
        cmd.arg("NX").arg("PX").arg(ttl.as_millis());
        match lock.command(&cmd).await {
            Ok(_) => Ok(token),
            Err(error) => Err(LookalikeError::Unknown(error)),
        }
    }

    /// Burns the token, and says what it was for. One command.
    ///
    /// # Errors
    /// [`LookalikeError::Unknown`]: it may have been burned, and its payload is lost then. Permit
    /// nothing; the bearer needs a new one.
    pub async fn burn(&self, lock: &LeaseLock) -> Result<Burned, LookalikeError> {
        let mut cmd = Cmd::new();
        cmd.arg("GETDEL").arg(self.key(lock.prefix()));
        let answer = lock.command(&cmd).await;
        match answer.and_then(|value| Ok(Option::<String>::from_redis_value(value)?)) {
            Ok(Some(payload)) => Ok(Burned::Now { payload }),
            Ok(None) => Ok(Burned::Gone),
            Err(error) => Err(LookalikeError::Unknown(error)),
        }
    }

    fn key(&self, prefix: &Prefix) -> String {
        format!("{prefix}token:{}", self.0)
    }
}

/// The token as its bearer carries it.
impl fmt::Display for OneTimeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for OneTimeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneTimeToken(…)")
    }
}

impl FromStr for OneTimeToken {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<OneTimeToken, uuid::Error> {
        text.parse().map(OneTimeToken)
    }
}
