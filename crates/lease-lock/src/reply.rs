//! What a script answered: one text, a word and then its numbers.

use std::time::Duration;

use fence::Fence;
use redis::{ErrorKind, RedisError, Value};

use crate::Ttl;

/// The reply of a script. Parts that are missing read as empty text.
#[derive(Debug)]
pub(crate) struct Reply(String);

impl Reply {
    pub(crate) fn new(value: Value) -> Result<Reply, RedisError> {
        match value {
            Value::BulkString(text) => match String::from_utf8(text) {
                Ok(text) => Ok(Reply(text)),
                Err(error) => Err(unreadable(error.to_string())),
            },
            other => Err(unreadable(format!("{other:?}"))),
        }
    }

    /// The word that says what happened.
    pub(crate) fn word(&self) -> &str {
        self.text(0)
    }

    /// A part as text; part 0 is the word.
    pub(crate) fn text(&self, part: usize) -> &str {
        self.0.split(' ').nth(part).unwrap_or_default()
    }

    /// A part as a fence; `None` if it is not one.
    pub(crate) fn fence(&self, part: usize) -> Option<Fence> {
        self.text(part).parse().ok()
    }

    /// A part as milliseconds that are left. Somebody may have prolonged a lease by hand beyond
    /// what a [`Ttl`] can be: it is believed for no longer than that.
    pub(crate) fn millis(&self, part: usize) -> Duration {
        let millis = self.text(part).parse().unwrap_or(0);
        Duration::from_millis(millis).min(Ttl::MAX.as_duration())
    }

    /// The error of a reply that this version of the scripts never gives.
    pub(crate) fn unreadable(self) -> RedisError {
        unreadable(self.0)
    }
}

fn unreadable(reply: String) -> RedisError {
    let kind = ErrorKind::UnexpectedReturnType;
    RedisError::from((kind, "no reply of a lease script", reply))
}
