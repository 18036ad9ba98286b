//! What the clients may do next.

use super::{Act, Phase, Worker};
use crate::action::Action;
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::scope::{Clients, Way};
use crate::state::State;
use crate::words::{Call, Permit, Request};

/// Adds it, within the bounds of the scope.
pub(crate) fn may(protocol: &Protocol, state: &State, actions: &mut Vec<Action>) {
    let mut add = |act| actions.push(Action::Client(act));
    let scope = &protocol.scope;
    let may_call = state.sessions.len() < scope.sessions;
    match &scope.clients {
        Clients::Anybody { fences } => {
            if may_call && state.left.calls > 0 {
                anybody(protocol, state, *fences, &mut add);
            }
        }
        Clients::Sections(ways) => {
            if state.holders < scope.holders {
                for resource in 0..scope.resources {
                    ways.iter()
                        .for_each(|way| start(state, resource, *way, may_call, &mut add));
                }
            }
            for (at, worker) in state.workers.iter().enumerate() {
                worker_may(protocol, state, at, worker, may_call, &mut add);
            }
        }
    }
}

/// Every request id that was used, and the next one.
fn requests(protocol: &Protocol, state: &State) -> impl Iterator<Item = Request> + use<> {
    0..(state.requests + 1).min(protocol.scope.requests)
}

fn anybody(protocol: &Protocol, state: &State, fences: u8, add: &mut impl FnMut(Act)) {
    for resource in 0..protocol.scope.resources {
        for fence in 1..=fences {
            for holder in 0..(state.holders + 1).min(protocol.scope.holders) {
                let mut call = |call| {
                    add(Act::Anybody {
                        resource,
                        permit: Permit { fence, holder },
                        call,
                    });
                };
                call(Call::Open);
                call(Call::Close);
                requests(protocol, state).for_each(|request| call(Call::Charge(request)));
            }
        }
    }
}

fn start(state: &State, resource: usize, way: Way, may_call: bool, add: &mut impl FnMut(Act)) {
    let free = state.redis.leases[resource].is_none();
    let redis_answers = way != Way::FromGuard;
    if redis_answers && !free || !redis_answers && !may_call {
        return;
    }
    for lost in lost(state).filter(|lost| redis_answers || !lost) {
        add(Act::Start {
            resource,
            way,
            lost,
        });
    }
}

/// Both fates of a reply of Redis, where one may still be lost.
fn lost(state: &State) -> impl Iterator<Item = bool> + use<> {
    let may_be = state.left.replies > 0;
    [false, true]
        .into_iter()
        .filter(move |lost| may_be || !lost)
}

fn worker_may(
    protocol: &Protocol,
    state: &State,
    at: usize,
    worker: &Worker,
    may_call: bool,
    add: &mut impl FnMut(Act),
) {
    let mut call = |call| {
        if may_call {
            add(Act::Call { worker: at, call });
        }
    };
    match worker.phase {
        Phase::Missing => add(Act::AskMark { worker: at }),
        Phase::Asking(_) => lost(state).for_each(|lost| add(Act::Ask { worker: at, lost })),
        Phase::Refused(..) => lost(state).for_each(|lost| add(Act::Remint { worker: at, lost })),
        Phase::Leased if worker.way == Way::Once => {
            requests(protocol, state).for_each(|request| call(Call::Once(request)));
        }
        Phase::Leased => call(Call::Open),
        Phase::Open if worker.resolves.is_some() => add(Act::Look { worker: at }),
        Phase::Open if worker.way == Way::EnterOnce => {
            requests(protocol, state).for_each(|request| call(Call::Once(request)));
            call(Call::Close);
        }
        Phase::Open => add(Act::Read { worker: at }),
        Phase::Read(seen) => {
            if seen < protocol.scope.due {
                requests(protocol, state).for_each(|request| call(Call::Charge(request)));
            }
            call(Call::Close);
        }
        Phase::Unknown(what) => {
            unknown(protocol, state, worker, what, &mut call);
            if protocol.scope.resolve && matches!(what, Call::Charge(_) | Call::Once(_)) {
                let news = [false, true].into_iter();
                let may_draw = |anew: &bool| !anew || state.holders < protocol.scope.holders;
                news.filter(may_draw)
                    .for_each(|anew| add(Act::Resolve { worker: at, anew }));
            }
        }
        Phase::Waiting(_) => {}
    }
}

/// Calls again under the same permit; or leaves.
fn unknown(
    protocol: &Protocol,
    state: &State,
    worker: &Worker,
    what: Call,
    call: &mut impl FnMut(Call),
) {
    match what {
        Call::Open | Call::Charge(_) => call(what),
        // What it decides by is inside: another request id is as good.
        Call::Once(_) => {
            requests(protocol, state).for_each(|request| call(Call::Once(request)));
        }
        Call::Close => {}
    }
    let entered = worker.way != Way::Once && what != Call::Open;
    if entered || protocol.has(Bug::LeaveWithoutClose) && what != Call::Open {
        call(Call::Close);
    }
}
