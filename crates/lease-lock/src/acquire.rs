//! `lua/acquire.lua` from the client's side: its command, and what its words mean.

use std::time::Duration;

use fence::{Fence, Floor, Holder, Resource};
use redis::{Cmd, RedisWrite};

use crate::error::{AcquireError, CounterProblem};
use crate::reply::Reply;
use crate::script::ACQUIRE;
use crate::{Prefix, Ttl};

/// How far a floor may lie above an existing counter, 2^40.
///
/// A trillion numbers are more than any bucket mints between two healings. A floor beyond that comes
/// from a poisoned mark, and raising to it would use the bucket's numbers up for every resource.
const LONGEST_RAISE: u64 = 1 << 40;

/// How many may wait for one lease. A queue is worked off one by one: the last of a thousand, at a
/// tenth of a second each, is served after minutes, and rather wants to know that at once.
const MAX_WAITERS: u64 = 1024;

/// What the script is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) prefix: &'a Prefix,
    pub(crate) resource: &'a Resource,
    pub(crate) holder: Holder,
    /// `None` takes no new lease.
    pub(crate) ttl: Option<Ttl>,
    pub(crate) floor: Option<Floor>,
    /// `None` does not wait.
    pub(crate) place: Option<Place<'a>>,
}

/// A place in the queue, and for how long it is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The waiter as Redis knows it.
    pub(crate) waiter: &'a str,
    /// Zero gives the place up.
    pub(crate) wait_ms: u64,
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
        let mut cmd = ACQUIRE.evalsha(3, 7, keys.capacity() + 96);
        cmd.write_arg_fmt(keys.lease());
        cmd.write_arg_fmt(keys.counter());
        cmd.write_arg_fmt(keys.queue());
        cmd.write_arg_fmt(self.holder);
        match self.ttl {
            Some(ttl) => cmd.arg(ttl.as_millis()),
            None => cmd.arg(""),
        };
        match (self.floor.map(Floor::get), self.place) {
            // The script compares decimals as text and cannot subtract, so the difference comes along.
            (Some(floor), _) => cmd.arg(floor).arg(floor.saturating_sub(LONGEST_RAISE)),
            (None, Some(_)) => cmd.arg("").arg(""),
            (None, None) => &mut cmd,
        };
        if let Some(place) = self.place {
            cmd.arg(place.waiter).arg(place.wait_ms).arg(MAX_WAITERS);
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
            ("reserved", ..) => Err(AcquireError::Reserved {
                resource: self.resource.clone(),
                remaining: reply.millis(1),
            }),
            ("full", ..) => Err(AcquireError::QueueFull {
                resource: self.resource.clone(),
                waiters: MAX_WAITERS,
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
