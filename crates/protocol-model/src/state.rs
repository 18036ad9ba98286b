//! Everything at one moment.

use crate::client::Worker;
use crate::guard::Guard;
use crate::redis::Redis;
use crate::scope::Scope;
use crate::session::Session;
use crate::words::{Holder, Request};

/// One state of the whole. Sessions, workers and the two resources stand in order, so that states that differ
/// in their names alone are one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct State {
    pub(crate) redis: Redis,
    pub(crate) guard: Guard,
    /// Transactions in flight. They outlive whoever sent them.
    pub(crate) sessions: Vec<Session>,
    /// Whoever acts, one for each acquisition. One that never acts again has crashed, or is frozen for
    /// good; nobody can tell.
    pub(crate) workers: Vec<Worker>,
    /// How many holders were drawn.
    pub(crate) holders: Holder,
    /// How many request ids were used.
    pub(crate) requests: Request,
    pub(crate) left: Budget,
}

/// How many faults may still happen, and how many calls may still be made by anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Budget {
    /// Replies lost, of Redis or of Postgres.
    pub(crate) replies: u8,
    /// Losses of Redis' memory.
    pub(crate) memory: u8,
    /// Transactions that Postgres ends, and crashes of workers.
    pub(crate) ends: u8,
    pub(crate) folds: u8,
    pub(crate) calls: u8,
}

impl State {
    pub(crate) fn first(scope: &Scope) -> State {
        State {
            redis: Redis::new(scope.resources),
            guard: Guard::new(scope.resources),
            sessions: Vec::new(),
            workers: Vec::new(),
            holders: 0,
            requests: 0,
            left: scope.budget,
        }
    }

    /// The one state that stands for all those that differ from it in names alone.
    pub(crate) fn in_order(mut self) -> State {
        self.sort();
        if self.redis.leases.len() != 2 {
            return self;
        }
        let mut swapped = self.clone();
        swapped.redis.leases.reverse();
        swapped.guard.resources.reverse();
        let of_sessions = swapped.sessions.iter_mut().map(|one| &mut one.resource);
        let of_workers = swapped.workers.iter_mut().map(|one| &mut one.resource);
        of_sessions.chain(of_workers).for_each(|r| *r = 1 - *r);
        swapped.sort();
        self.min(swapped)
    }

    fn sort(&mut self) {
        self.sessions.sort_unstable();
        self.workers.sort_unstable();
    }
}
