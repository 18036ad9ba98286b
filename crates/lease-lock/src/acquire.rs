//! `lua/acquire.lua` from the client's side: its command, and what its words mean.

use std::time::Duration;

use fence::{Fence, Floor, Holder, Resource};
use redis::{Cmd, RedisWrite};

use crate::error::{AcquireError, CounterProblem};
use crate::reply::Reply;
use crate::script::{ACQUIRE, evalsha};
use crate::{Prefix, Ttl};

/// How far a floor may lie above an existing counter, 2^40.
///
/// A trillion numbers are more than any bucket mints between two healings. A floor beyond that comes
/// from a poisoned mark, and raising to it would use the bucket's numbers up for every resource.
const LONGEST_RAISE: u64 = 1 << 40;

/// What the script is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) prefix: &'a Prefix,
    pub(crate) resource: &'a Resource,
    pub(crate) holder: Holder,
    /// `None` takes no new lease.
    pub(crate) ttl: Option<Ttl>,
    pub(crate) floor: Option<Floor>,
}

/// What the script granted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grant {
    pub(crate) fence: Fence,
    /// How long the lease had to live when the script ran.
    pub(crate) left: Duration,
}

impl Request<'_> {
    pub(crate) fn command(&self) -> Cmd {
        let keys = self.prefix.keys(self.resource);
        let mut cmd = evalsha(&ACQUIRE, 2, 4, keys.capacity() + 96);
        cmd.write_arg_fmt(keys.lease());
        cmd.write_arg_fmt(keys.counter());
        cmd.write_arg_fmt(self.holder);
        match self.ttl {
            Some(ttl) => cmd.arg(ttl.as_millis()),
            None => cmd.arg(""),
        };
        if let Some(floor) = self.floor.map(Floor::get) {
            // The script compares decimals as text and cannot subtract, so the difference comes along.
            cmd.arg(floor).arg(floor.saturating_sub(LONGEST_RAISE));
        }
        cmd
    }

    pub(crate) fn read(&self, reply: Reply) -> Result<Grant, AcquireError> {
        match (reply.word(), reply.fence(1), self.ttl) {
            ("minted", Some(fence), Some(ttl)) => Ok(Grant {
                fence,
                left: ttl.as_duration(),
            }),
            ("reminted" | "yours", Some(fence), _) => Ok(Grant {
                fence,
                left: reply.millis(2),
            }),
            ("held", Some(by), _) => Err(AcquireError::Held {
                resource: self.resource.clone(),
                remaining: reply.millis(2),
                by,
            }),
            _ => Err(self.broken(reply)),
        }
    }

    /// What is wrong with the keys: the answers that an operator has to look at.
    fn broken(&self, reply: Reply) -> AcquireError {
        let resource = self.resource.clone();
        let counter_key = self.prefix.counter_key(&resource);
        let unusable = |problem| AcquireError::CounterUnusable {
            resource: resource.clone(),
            key: counter_key.clone(),
            problem,
        };
        match (reply.word(), reply.text(1), self.floor) {
            ("missing", ..) => AcquireError::CounterMissing { resource },
            ("unusable", "type", _) => unusable(CounterProblem::WrongType),
            ("unusable", "text", _) => unusable(CounterProblem::NotANumber),
            ("unusable", "range", _) => unusable(CounterProblem::OutOfRange),
            ("far", _, Some(floor)) => AcquireError::FloorTooFar {
                resource,
                key: counter_key,
                floor,
                counter: reply.fence(1),
            },
            ("exhausted", ..) => AcquireError::Exhausted {
                resource,
                key: counter_key,
            },
            // A lease under a number that is no fence was not written by the script either.
            ("foreign" | "held" | "yours", ..) => AcquireError::ForeignLease {
                key: self.prefix.lease_key(&resource),
                resource,
            },
            _ => AcquireError::Unknown(reply.unreadable()),
        }
    }
}
