//! Everything that nobody wants and nobody can prevent, at any moment.

use crate::action::Action;
use crate::client::{self, Phase};
use crate::guard;
use crate::protocol::Protocol;
use crate::state::State;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    /// A lease ends: its TTL is over, or `release.lua` was called (for all others that is the same).
    LeaseEnds(usize),
    /// Redis loses its counter. Followed by the end of its leases it is a restart without memory.
    CounterLost,
    /// The counter is one lower than it was: a lagging replica was promoted. The next number repeats.
    CounterLags,
    /// Somebody no longer waits for the answer of a session, which goes on.
    ReplyLost(usize),
    /// Postgres ends a transaction that is not committed.
    Aborted(usize),
    /// Postgres restarts: every transaction in flight ends.
    PostgresRestarts,
    /// A worker is gone. What it has sent goes on.
    Crash(usize),
    /// `valid_until` of the opening is over.
    ValidityEnds(usize),
    /// The operator's `fence.fold`.
    Fold,
}

/// Adds what may go wrong now.
pub(crate) fn may(protocol: &Protocol, state: &State, actions: &mut Vec<Action>) {
    let mut add = |fault| actions.push(Action::Fault(fault));
    for resource in 0..protocol.scope.resources {
        if state.redis.leases[resource].is_some() {
            add(Fault::LeaseEnds(resource));
        }
        let row = state.guard.resources[resource].row;
        if row.is_some_and(|row| row.valid && !row.closed) {
            add(Fault::ValidityEnds(resource));
        }
    }
    let left = state.left;
    if left.memory > 0 && state.redis.counter.is_some_and(|counter| counter > 0) {
        add(Fault::CounterLost);
        add(Fault::CounterLags);
    }
    if left.replies > 0 {
        let heard = (0..state.sessions.len()).filter(|at| state.sessions[*at].heard);
        heard.for_each(|at| add(Fault::ReplyLost(at)));
    }
    if left.ends > 0 {
        (0..state.sessions.len()).for_each(|at| add(Fault::Aborted(at)));
        (0..state.workers.len()).for_each(|at| add(Fault::Crash(at)));
        if state.sessions.len() > 1 {
            add(Fault::PostgresRestarts);
        }
    }
    if left.folds > 0 {
        add(Fault::Fold);
    }
}

/// Lets it happen. `None` where it cannot.
pub(crate) fn happen(protocol: &Protocol, state: &mut State, fault: Fault) -> Option<()> {
    match fault {
        Fault::LeaseEnds(resource) => state.redis.leases[resource] = None,
        Fault::CounterLost => {
            state.left.memory -= 1;
            state.redis.counter = None;
        }
        Fault::CounterLags => {
            state.left.memory -= 1;
            state.redis.counter = state.redis.counter.map(|counter| counter - 1);
        }
        Fault::ReplyLost(at) => {
            state.left.replies -= 1;
            client::unheard(state, at);
            state.sessions[at].heard = false;
        }
        Fault::Aborted(at) => {
            state.left.ends -= 1;
            end(state, at);
        }
        Fault::PostgresRestarts => {
            state.left.ends -= 1;
            while !state.sessions.is_empty() {
                end(state, 0);
            }
        }
        Fault::Crash(at) => {
            state.left.ends -= 1;
            let worker = state.workers.remove(at);
            if let Phase::Waiting(_) = worker.phase {
                let of_worker = state.sessions.iter_mut().filter(|s| s.is_of(&worker));
                of_worker.for_each(|session| session.heard = false);
            }
        }
        Fault::ValidityEnds(resource) => {
            state.guard.resources[resource].row.as_mut()?.valid = false;
        }
        Fault::Fold => {
            state.left.folds -= 1;
            guard::fold(protocol, state)?;
        }
    }
    Some(())
}

fn end(state: &mut State, at: usize) {
    if state.sessions[at].heard {
        client::unheard(state, at);
    }
    state.sessions.remove(at);
}
