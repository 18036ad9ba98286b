//! `lua/leave.lua` from the client's side.

use fence::{Holder, Resource};
use redis::{Cmd, RedisWrite};

use crate::Prefix;
use crate::script::LEAVE;

/// Who leaves the queue of which resource.
#[derive(Debug, Clone)]
pub(crate) struct Leaver {
    pub(crate) resource: Resource,
    /// The waiter as Redis knows it.
    pub(crate) waiter: String,
    /// The holder, where an acquisition was under way whose reply nobody will read.
    pub(crate) unread: Option<Holder>,
}

impl Leaver {
    pub(crate) fn command(&self, prefix: &Prefix) -> Cmd {
        let keys = prefix.keys(&self.resource);
        let mut cmd = LEAVE.evalsha(2, 2, keys.capacity() + 128);
        cmd.write_arg_fmt(keys.lease());
        cmd.write_arg_fmt(keys.queue());
        cmd.arg(&self.waiter);
        if let Some(holder) = self.unread {
            cmd.write_arg_fmt(holder);
        }
        cmd
    }
}
