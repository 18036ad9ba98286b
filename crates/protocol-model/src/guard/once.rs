//! `credit.charge_once`: opens, looks for an entry, writes one, and closes what it opened itself.

use super::charge::newest;
use super::is_drained;
use super::judge::judge;
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::session::{Progress, Session, Step};
use crate::state::State;
use crate::words::{Answer, Permit, Request};

/// `credit.ride` where the permit is open already: the row exclusively all the same, judged again.
pub(super) fn relock(
    protocol: &Protocol,
    state: &mut State,
    session: &Session,
    ride: Option<Request>,
) -> Progress {
    let Some(request) = ride.filter(|_| is_drained(protocol, state, session)) else {
        return Progress::Blocked;
    };
    match judge(
        &state.guard,
        session.resource(),
        session.permit,
        protocol.bug,
    ) {
        None => decide(protocol, state, session, request, session.permit, false),
        Some((reason, mark)) => Progress::Next(Step::Again {
            request,
            reason,
            mark,
            was_applied: state.guard.has(request),
            shares: false,
        }),
    }
}

/// Behind the exclusive lock, to the commit: nobody else writes under this resource meanwhile.
pub(super) fn decide(
    protocol: &Protocol,
    state: &mut State,
    session: &Session,
    request: Request,
    permit: Permit,
    is_own: bool,
) -> Progress {
    let paid = !state.guard.resources[session.resource()].entries.is_empty();
    let mut answer = Answer::Paid;
    if state.guard.has(request) && !protocol.has(Bug::NoUniqueRequest) {
        answer = Answer::Applied;
    } else if !paid {
        let under = newest(state, session);
        let table = &mut state.guard.resources[session.resource()];
        table.commit(permit, request, under);
        answer = Answer::Applied;
    }
    if is_own {
        state.guard.resources[session.resource()].close();
    }
    Progress::Done(answer)
}
