//! How a worker goes on after an answer, or without one.

use super::{Phase, Worker};
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::scope::Way;
use crate::session::Session;
use crate::state::State;
use crate::words::{Answer, Call, Reason};

/// Hands an answer to whoever waits for it. A worker with nothing more to do is no longer there.
pub(crate) fn hear(protocol: &Protocol, state: &mut State, session: &Session, answer: Answer) {
    if answer == Answer::Closed {
        let table = &mut state.guard.resources[session.resource()];
        if !table.left.contains(&session.permit) {
            table.left.push(session.permit);
            table.left.sort_unstable();
        }
    }
    let Some(at) = state
        .workers
        .iter()
        .position(|worker| session.is_of(worker))
    else {
        return;
    };
    let mut worker = state.workers.remove(at);
    let Phase::Waiting(call) = worker.phase else {
        return;
    };
    if let Some(phase) = next(protocol, state, &mut worker, call, answer) {
        worker.phase = phase;
        state.workers.push(worker);
    }
}

fn next(
    protocol: &Protocol,
    state: &State,
    worker: &mut Worker,
    call: Call,
    answer: Answer,
) -> Option<Phase> {
    match answer {
        Answer::Opened(fence) => {
            worker.permit.fence = fence;
            Some(Phase::Open)
        }
        Answer::Applied | Answer::Paid => (worker.way != Way::Once).then_some(Phase::Open),
        Answer::Closed => None,
        Answer::Again => Some(Phase::Leased),
        Answer::Refused(reason, mark) => {
            let lease = state.redis.leases[worker.resource()];
            let opens = call == Call::Open || worker.way == Way::Once;
            let heals = matches!(reason, Reason::Stale | Reason::Conflict)
                && lease == Some(worker.permit)
                && !protocol.has(Bug::NoRemint);
            (opens && heals).then_some(Phase::Refused(reason, mark))
        }
    }
}

/// Its worker waits no longer for the session at this place.
pub(crate) fn unheard(state: &mut State, session: usize) {
    let session = state.sessions[session];
    let Some(at) = state
        .workers
        .iter()
        .position(|worker| session.is_of(worker))
    else {
        return;
    };
    if let Phase::Waiting(call) = state.workers[at].phase {
        match call {
            // It has left, as far as it cares; and knows nothing.
            Call::Close => drop(state.workers.remove(at)),
            _ => state.workers[at].phase = Phase::Unknown(call),
        }
    }
}
