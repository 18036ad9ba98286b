//! `lua/release.lua` from the client's side, and the three ways in which a release can end.

use fence::{Fence, Holder, Resource};
use redis::{Cmd, RedisWrite};

use crate::Prefix;
use crate::error::ReleaseError;
use crate::reply::Reply;
use crate::script::RELEASE;

/// How a release went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "an expired or taken over lease means that the work outlived it"]
pub enum Released {
    /// The lease was ours and is free now.
    Released,
    /// Nobody had it: it expired (or was deleted), and nobody has taken it since.
    Expired,
    /// Another acquisition had it, and keeps it.
    TakenOver {
        /// The fence of the other acquisition.
        by: Fence,
    },
}

/// Which lease is to be given back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) prefix: &'a Prefix,
    pub(crate) resource: &'a Resource,
    pub(crate) holder: Holder,
    /// `None` for whatever fence the holder has.
    pub(crate) fence: Option<Fence>,
}

impl Request<'_> {
    pub(crate) fn command(&self) -> Cmd {
        let keys = self.prefix.keys(self.resource);
        let mut cmd = RELEASE.evalsha(2, 1, keys.capacity() + 96);
        cmd.write_arg_fmt(keys.lease());
        cmd.write_arg_fmt(keys.queue());
        match self.fence {
            Some(fence) => cmd.write_arg_fmt(format_args!("{fence}:{}", self.holder)),
            None => cmd.write_arg_fmt(self.holder),
        }
        cmd
    }

    pub(crate) fn read(&self, reply: Reply) -> Result<Released, ReleaseError> {
        match (reply.word(), reply.fence(1)) {
            ("released", _) => Ok(Released::Released),
            ("expired", _) => Ok(Released::Expired),
            ("taken", Some(by)) => Ok(Released::TakenOver { by }),
            ("taken" | "foreign", _) => Err(ReleaseError::ForeignLease {
                key: self.prefix.lease_key(self.resource),
                resource: self.resource.clone(),
            }),
            _ => Err(ReleaseError::Unknown(reply.unreadable())),
        }
    }
}
