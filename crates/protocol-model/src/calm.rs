//! Liveness: from any state, once nothing fails any more, a new holder enters, writes and leaves.
//!
//! Stateright's own *eventually* misses counterexamples where paths join, so it is asked of every state in
//! another way: what is in flight ends, times run out, all others stand still for ever, and one new holder
//! takes its steps. They are counted, so this is a bound and not only an end.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::action::Action;
use crate::client::{Act, Phase};
use crate::guard::Row;
use crate::protocol::Protocol;
use crate::scope::Way;
use crate::state::State;
use crate::words::{Call, Fence};

/// In how many steps at most: acquire, mark, acquire again; open, remint, open again (each call is sent, and
/// then takes up to three statements); charge, close.
const STEPS: usize = 20;
/// A request that nobody has used.
const FRESH: u8 = 100;

/// All that the new holder depends on: the counter, the floor, the marks.
type Memory = (Option<Fence>, Fence, Vec<Option<Row>>);

thread_local! {
    static KNOWN: RefCell<HashMap<(Option<crate::Bug>, Memory), bool>> = RefCell::default();
}

/// Whether a new holder gets in from here, on each resource.
///
/// Where calls are in flight, it is enough that one of them can go on (no deadlock): they are bounded, and
/// the states that they lead to are asked the same, up to one without any.
pub(crate) fn heals(protocol: &Protocol, state: &State) -> bool {
    if !state.sessions.is_empty() {
        let mut sessions = 0..state.sessions.len();
        return sessions.any(|at| protocol.apply(state, Action::Step(at)).is_some());
    }
    let rows = state
        .guard
        .resources
        .iter()
        .map(|table| table.row)
        .collect();
    let memory = (state.redis.counter, state.guard.floor, rows);
    KNOWN.with_borrow_mut(|known| {
        *known.entry((protocol.bug, memory)).or_insert_with(|| {
            let calm = calm(state);
            (0..protocol.scope.resources).all(|resource| gets_in(protocol, &calm, resource))
        })
    })
}

/// Everybody else stands still, all leases have ended, all openings are over their time.
fn calm(state: &State) -> State {
    let mut calm = state.clone();
    calm.workers.clear();
    calm.redis.leases.iter_mut().for_each(|lease| *lease = None);
    let rows = calm.guard.resources.iter_mut().map(|table| &mut table.row);
    rows.flatten().for_each(|row| row.valid = false);
    calm
}

fn gets_in(protocol: &Protocol, calm: &State, resource: usize) -> bool {
    let start = Act::Start {
        resource,
        way: Way::Enter,
        lost: false,
    };
    let Some(mut state) = protocol.apply(calm, Action::Client(start)) else {
        return false;
    };
    let before = state.guard.resources[resource].entries.len();
    for _ in 0..STEPS {
        if state.workers.is_empty() {
            break;
        }
        let written = state.guard.resources[resource].entries.len() > before;
        let Some(next) = next(&state, written).and_then(|action| protocol.apply(&state, action))
        else {
            return false;
        };
        state = next;
    }
    let table = &state.guard.resources[resource];
    state.workers.is_empty() && table.entries.len() == before + 1
}

fn next(state: &State, written: bool) -> Option<Action> {
    let worker = 0;
    Some(Action::Client(match state.workers[worker].phase {
        Phase::Missing => Act::AskMark { worker },
        Phase::Asking(_) => Act::Ask {
            worker,
            lost: false,
        },
        Phase::Refused(..) => Act::Remint {
            worker,
            lost: false,
        },
        Phase::Leased => Act::Call {
            worker,
            call: Call::Open,
        },
        Phase::Open | Phase::Read(_) => Act::Call {
            worker,
            call: match written {
                true => Call::Close,
                false => Call::Charge(FRESH),
            },
        },
        Phase::Waiting(_) => return Some(Action::Step(0)),
        Phase::Unknown(_) => return None,
    }))
}
