//! What a client does.

use super::{Phase, Worker};
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::redis::Acquired;
use crate::scope::Way;
use crate::session::Session;
use crate::state::State;
use crate::words::{Call, Fence, NEXT, Permit};

/// One of them. Workers are named by their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Act {
    /// A service gets in, as a new holder: asks Redis (or, from the guard, Postgres) at once.
    Start {
        resource: usize,
        way: Way,
        lost: bool,
    },
    /// `acquire.lua`, again.
    Ask { worker: usize, lost: bool },
    /// `fence.mark`: the floor where Redis has no counter.
    AskMark { worker: usize },
    /// `acquire.lua` with a floor, into the same lease.
    Remint { worker: usize, lost: bool },
    /// Sends a call to Postgres.
    Call { worker: usize, call: Call },
    /// `credit.charged`: a plain read.
    Read { worker: usize },
    /// Enters above the attempt whose answer did not come: as the same holder, or as a new one.
    Resolve { worker: usize, anew: bool },
    /// The look of `resolve`.
    Look { worker: usize },
    /// Anybody calls with any permit.
    Anybody {
        resource: usize,
        permit: Permit,
        call: Call,
    },
}

/// Does it. `None` where it cannot be done now.
pub(crate) fn act(protocol: &Protocol, state: &mut State, act: Act) -> Option<()> {
    match act {
        Act::Start {
            resource,
            way,
            lost,
        } => start(protocol, state, resource, way, lost),
        Act::Ask { worker, lost } => {
            let mut asking = state.workers.remove(worker);
            ask(protocol, state, &mut asking, lost)?;
            state.workers.push(asking);
            Some(())
        }
        Act::AskMark { worker } => {
            let mark = state.guard.mark(state.workers[worker].resource());
            state.workers[worker].phase = Phase::Asking(Some(mark));
            Some(())
        }
        Act::Remint { worker, lost } => remint(protocol, state, worker, lost),
        Act::Call { worker, call } => {
            send(protocol, state, worker, call);
            Some(())
        }
        Act::Read { worker } => {
            let resource = state.workers[worker].resource();
            let seen = state.guard.resources[resource].entries.len();
            state.workers[worker].phase = Phase::Read(seen);
            Some(())
        }
        Act::Resolve { worker, anew } => resolve(protocol, state, worker, anew),
        Act::Look { worker } => {
            look(state, worker);
            Some(())
        }
        Act::Anybody {
            resource,
            permit,
            call,
        } => {
            state.left.calls -= 1;
            state.holders = state.holders.max(permit.holder + 1);
            used(state, call);
            let session = Session::new(resource as u8, permit, call);
            state.sessions.push(session);
            Some(())
        }
    }
}

fn start(
    protocol: &Protocol,
    state: &mut State,
    resource: usize,
    way: Way,
    lost: bool,
) -> Option<()> {
    let permit = Permit {
        fence: NEXT,
        holder: state.holders,
    };
    state.holders += 1;
    let mut worker = Worker {
        resource: resource as u8,
        permit,
        way,
        resolves: None,
        phase: Phase::Asking(None),
    };
    if way == Way::FromGuard {
        state.workers.push(worker);
        send(protocol, state, state.workers.len() - 1, Call::Open);
        return Some(());
    }
    ask(protocol, state, &mut worker, lost)?;
    state.workers.push(worker);
    Some(())
}

/// `acquire.lua`, and its reply.
fn ask(protocol: &Protocol, state: &mut State, worker: &mut Worker, lost: bool) -> Option<()> {
    let Phase::Asking(floor) = worker.phase else {
        return None;
    };
    let (resource, holder) = (worker.resource(), worker.permit.holder);
    let acquired = state.redis.acquire(resource, holder, floor, false);
    if lost {
        // What was not done is asked again all the same, so only what was done is worth losing.
        state.left.replies -= 1;
        return matches!(acquired, Acquired::Lease(_)).then_some(());
    }
    match acquired {
        Acquired::Lease(fence) => leased(protocol, worker, fence),
        Acquired::Missing => worker.phase = Phase::Missing,
        Acquired::Held | Acquired::Expired => return None,
    }
    Some(())
}

fn leased(protocol: &Protocol, worker: &mut Worker, fence: Fence) {
    worker.permit.fence = fence;
    worker.phase = match protocol.has(Bug::WriteOnlyMark) {
        true => Phase::Open,
        false => Phase::Leased,
    };
}

fn remint(protocol: &Protocol, state: &mut State, worker: usize, lost: bool) -> Option<()> {
    let Phase::Refused(_, mark) = state.workers[worker].phase else {
        return None;
    };
    let asking = state.workers[worker];
    let floor = match protocol.has(Bug::RemintSameNumber) {
        true => None,
        false => Some(mark),
    };
    let (resource, holder) = (asking.resource(), asking.permit.holder);
    let acquired = state.redis.acquire(resource, holder, floor, true);
    let Acquired::Lease(fence) = acquired else {
        return None;
    };
    if lost {
        state.left.replies -= 1;
        return (fence != asking.permit.fence).then_some(());
    }
    leased(protocol, &mut state.workers[worker], fence);
    Some(())
}

fn send(protocol: &Protocol, state: &mut State, at: usize, call: Call) {
    used(state, call);
    let worker = &mut state.workers[at];
    if call == Call::Close && protocol.has(Bug::LeaveWithoutClose) {
        let worker = state.workers.remove(at);
        let table = &mut state.guard.resources[worker.resource()];
        table.left.push(worker.permit);
        return;
    }
    worker.phase = Phase::Waiting(call);
    let session = Session::new(worker.resource, worker.permit, call);
    state.sessions.push(session);
}

fn used(state: &mut State, call: Call) {
    if let Call::Charge(request) | Call::Once(request) = call {
        state.requests = state.requests.max(request + 1);
    }
}

/// `Sections::resolve`: acquires with the attempt's fence as the floor.
fn resolve(protocol: &Protocol, state: &mut State, at: usize, anew: bool) -> Option<()> {
    let worker = &mut state.workers[at];
    let (Phase::Unknown(Call::Charge(request)) | Phase::Unknown(Call::Once(request))) =
        worker.phase
    else {
        return None;
    };
    let fence = worker.permit.fence;
    worker.resolves = Some((fence, request));
    worker.phase = Phase::Asking(Some(fence));
    // What it does in the section that it gets is what every section does.
    worker.way = Way::Enter;
    if anew {
        worker.permit = Permit {
            fence: NEXT,
            holder: state.holders,
        };
        state.holders += 1;
    }
    if protocol.has(Bug::ResolveLooksFirst) {
        look(state, at);
        state.workers.remove(at);
    }
    Some(())
}

fn look(state: &mut State, at: usize) {
    let Some((fence, request)) = state.workers[at].resolves.take() else {
        return;
    };
    if !state.guard.has(request) {
        let table = &mut state.guard.resources[state.workers[at].resource()];
        table.absent = table.absent.max(fence);
    }
}
