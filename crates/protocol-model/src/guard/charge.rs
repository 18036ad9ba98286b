//! `credit.charge`. The account's row is left out: without its lock more may happen, not less.

use super::judge::judge;
use super::{Opening, Row, is_drained};
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::session::{Progress, Session, Step};
use crate::state::State;
use crate::words::{Answer, Request};

/// `credit.replay`: the first look for the request.
pub(super) fn replay(protocol: &Protocol, state: &State, request: Request, next: Step) -> Progress {
    let looks = !protocol.has(Bug::RefusalBeforeReplay);
    match looks && state.guard.has(request) {
        true => Progress::Done(Answer::Applied),
        false => Progress::Next(next),
    }
}

/// `fence.look`: the row FOR SHARE, judged by what the lock returned. Nobody holds it exclusively, since
/// whoever does has committed in one step.
pub(super) fn look(
    protocol: &Protocol,
    state: &mut State,
    session: &Session,
    request: Request,
    once: bool,
) -> Progress {
    if protocol.has(Bug::WriteOnlyMark) {
        if !is_drained(protocol, state, session) {
            return Progress::Blocked;
        }
        raise_by_writing(state, session);
    }
    let Some((reason, mark)) = judge(
        &state.guard,
        session.resource(),
        session.permit,
        protocol.bug,
    ) else {
        // The wrong `charge_once` decides here, under its shared lock.
        let table = &state.guard.resources[session.resource()];
        return match once && !table.entries.is_empty() {
            true => Progress::Done(Answer::Paid),
            false => Progress::Next(Step::Insert(request)),
        };
    };
    Progress::Next(Step::Again {
        request,
        reason,
        mark,
        was_applied: state.guard.has(request),
        shares: true,
    })
}

/// The second look, in a statement of its own.
pub(super) fn again(
    protocol: &Protocol,
    state: &mut State,
    session: &Session,
    request: Request,
    was_applied: bool,
    refusal: Answer,
) -> Progress {
    let looks = !protocol.has(Bug::LookedUpOnce) && !protocol.has(Bug::RefusalBeforeReplay);
    if looks && state.guard.has(request) {
        return Progress::Done(Answer::Applied);
    }
    state.guard.resources[session.resource()].told_wrongly |= was_applied;
    Progress::Done(refusal)
}

/// `credit.post`: the unique request id waits for a twin that is not committed, and finds one that is.
pub(super) fn insert(
    protocol: &Protocol,
    state: &State,
    session: &Session,
    request: Request,
) -> Progress {
    if !protocol.has(Bug::NoUniqueRequest) {
        if state
            .sessions
            .iter()
            .any(|other| other.has_inserted(request))
        {
            return Progress::Blocked;
        }
        if state.guard.has(request) {
            return Progress::Done(Answer::Applied);
        }
    }
    let under = newest(state, session);
    Progress::Next(Step::Commit { request, under })
}

/// The newest opening at this moment.
pub(super) fn newest(state: &State, session: &Session) -> Option<Opening> {
    let table = &state.guard.resources[session.resource()];
    table.openings.last().copied()
}

pub(super) fn commit(
    state: &mut State,
    session: &Session,
    request: Request,
    under: Option<Opening>,
) -> Progress {
    let table = &mut state.guard.resources[session.resource()];
    table.commit(session.permit, request, under);
    Progress::Done(Answer::Applied)
}

/// WRONG ON PURPOSE ([`Bug::WriteOnlyMark`]): the mark is raised by the write that it should judge. It is
/// recorded like an opening, so that the other rules have something to judge by.
fn raise_by_writing(state: &mut State, session: &Session) {
    let (floor, permit) = (state.guard.floor, session.permit);
    let table = &mut state.guard.resources[session.resource()];
    let mark = table.row.map_or(floor - 1, |row| row.permit.fence);
    if permit.fence > mark {
        table.row = Some(Row {
            permit,
            closed: false,
            minted: false,
            valid: false,
        });
        table.openings.push(Opening {
            permit,
            closed: false,
            cut_short: false,
        });
    }
}
