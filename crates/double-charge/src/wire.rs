//! What the conductor and its workers say to each other: JSON lines over the workers' pipes.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::cell::Protection;

/// What a worker is to do; the first line of its standard input. It comes by pipe, since the URLs may
/// hold passwords, which an argument would show to everybody on the machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) protection: Protection,
    pub(crate) redis_url: String,
    pub(crate) database_url: String,
    /// Of every key in Redis.
    pub(crate) prefix: String,
    pub(crate) resource: String,
    pub(crate) account: String,
    pub(crate) purpose: String,
    pub(crate) request: Uuid,
    pub(crate) ttl_ms: u64,
    /// Whether to wait for an order after having read.
    pub(crate) waits_after_read: bool,
}

/// A line of the worker's standard output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    /// Something happened.
    Event(Event),
    /// The worker has read, and does nothing until it gets an order.
    WaitsAfterRead,
}

/// What a waiting worker is to do next; a line of its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// Go on: run the query and charge.
    GoOn,
    /// Give the work up, and release as a `finally` does.
    GiveUp,
}

/// A command to Redis and what it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) command: String,
    pub(crate) reply: String,
}

/// Something that happened, to a worker or around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The process runs and is connected.
    Started,
    /// Redis has no counter for the resource; the guard's mark is the floor of the next fence.
    CounterMissing { floor: u64 },
    /// It has the lock.
    Acquired { redis: Exchange, fence: Option<u64> },
    /// Another has the lock.
    KeptOut { redis: Exchange },
    /// It has opened the resource: the mark is its fence.
    Opened { fence: u64, takeover: bool },
    /// A higher fence was minted into the lease that it holds.
    Reminted { fence: u64 },
    /// It has read whether the query is paid for.
    Read { paid: i64, balance: i64 },
    /// It has given its work up.
    GaveUp,
    /// The query was paid for already.
    AlreadyPaid,
    /// It has run the slow query.
    Worked,
    /// It has charged the customer.
    Charged {
        entry: i64,
        balance: i64,
        fence: Option<u64>,
    },
    /// Its request had been charged before; it got the first outcome.
    Replayed { entry: i64, balance: i64 },
    /// Its charge was refused.
    Refused {
        reason: String,
        presented: u64,
        mark: u64,
        opened_by: Option<Uuid>,
    },
    /// It has closed its opening, or found that it was overtaken.
    Closed { overtaken_by: Option<u64> },
    /// It has left: released the lock, or found that it was not its own any more.
    Released { redis: Exchange },
    /// It could not go on.
    Failed { error: String },
    /// SIGSTOP; the kernel says that the process is stopped.
    Frozen,
    /// SIGCONT.
    Woken,
    /// The lock that the sleeper had has expired.
    Expired { redis: Exchange },
    /// Who has the lock now.
    LockSeen { redis: Exchange, note: String },
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.command, self.reply)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Started => f.write_str("starts"),
            Event::CounterMissing { floor } => {
                write!(f, "no counter in Redis; the mark is the floor: {floor}")
            }
            Event::Acquired {
                redis,
                fence: Some(fence),
            } => {
                write!(f, "acquires, fence {fence}: {redis}")
            }
            Event::Acquired { redis, fence: None } => write!(f, "acquires: {redis}"),
            Event::KeptOut { redis } => write!(f, "is kept out: {redis}"),
            Event::Opened {
                fence,
                takeover: true,
            } => {
                write!(
                    f,
                    "opens, the mark is {fence} (a takeover: the opening before it is unclosed)"
                )
            }
            Event::Opened {
                fence,
                takeover: false,
            } => write!(f, "opens, the mark is {fence}"),
            Event::Reminted { fence } => write!(f, "remints above the mark: fence {fence}"),
            Event::Read { paid, balance } => {
                write!(f, "reads: paid for {paid} times, balance {balance}")
            }
            Event::GaveUp => f.write_str("gives its work up"),
            Event::AlreadyPaid => f.write_str("finds it paid for, charges nothing"),
            Event::Worked => f.write_str("has run the slow query"),
            Event::Charged {
                entry,
                balance,
                fence: Some(fence),
            } => {
                write!(
                    f,
                    "CHARGES with fence {fence}: entry {entry}, balance {balance}"
                )
            }
            Event::Charged {
                entry,
                balance,
                fence: None,
            } => {
                write!(f, "CHARGES: entry {entry}, balance {balance}")
            }
            Event::Replayed { entry, balance } => {
                write!(
                    f,
                    "gets the first outcome again: entry {entry}, balance {balance}"
                )
            }
            Event::Refused {
                reason,
                presented,
                mark,
                opened_by,
            } => {
                write!(
                    f,
                    "IS REFUSED, {reason}: fence {presented}, the mark is {mark}"
                )?;
                opened_by.map_or(Ok(()), |holder| write!(f, ", opened by {}", short(holder)))
            }
            Event::Closed { overtaken_by: None } => f.write_str("closes its opening"),
            Event::Closed {
                overtaken_by: Some(mark),
            } => {
                write!(f, "closes: overtaken by fence {mark}")
            }
            Event::Released { redis } => write!(f, "releases: {redis}"),
            Event::Failed { error } => write!(f, "FAILS: {error}"),
            Event::Frozen => f.write_str("SIGSTOP: frozen"),
            Event::Woken => f.write_str("SIGCONT: wakes, and does not look again"),
            Event::Expired { redis } => write!(f, "{redis}: the lease has expired"),
            Event::LockSeen { redis, note } => write!(f, "{redis}: {note}"),
        }
    }
}

/// The first block of a UUID, enough to tell holders of one cell apart.
pub(crate) fn short(holder: Uuid) -> String {
    holder.to_string()[..8].to_owned()
}
