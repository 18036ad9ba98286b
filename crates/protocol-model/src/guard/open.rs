//! `fence.open` and `fence.open_next`, which are `fence.raise_mark`; and the opening of `credit.charge_once`,
//! which is the same function within `credit.ride`.

use super::judge::{Found, judge_opening};
use super::{Opening, Row, is_drained, once};
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::session::{At, Progress, Session, Step};
use crate::state::State;
use crate::words::{Answer, Fence, NEXT, Permit, Reason, Request};

/// One step of an opening. With `ride`, it is part of a `charge_once`.
pub(super) fn step(
    protocol: &Protocol,
    state: &mut State,
    session: &Session,
    ride: Option<Request>,
    at: At,
) -> Progress {
    match at {
        At::Read => first_judgement(protocol, state, session, ride),
        // The lock is held to the commit: from now on no fold (`faults::may_fold`).
        At::Floor => Progress::Next(Step::Open(
            ride,
            At::Lock {
                found: false,
                floor: state.guard.floor,
            },
        )),
        At::Lock { found, floor } => lock(protocol, state, session, ride, found, floor),
        At::Relock => once::relock(protocol, state, session, ride),
    }
}

/// From a plain read: who is refused does not queue for the lock.
fn first_judgement(
    protocol: &Protocol,
    state: &State,
    session: &Session,
    ride: Option<Request>,
) -> Progress {
    let resource = session.resource();
    let Some(row) = state.guard.resources[resource].row else {
        return Progress::Next(Step::Open(ride, At::Floor));
    };
    let lock = At::Lock {
        found: true,
        floor: 0,
    };
    match judge_opening(&state.guard, resource, row, session.permit, protocol.bug) {
        Found::Raise => Progress::Next(Step::Open(ride, lock)),
        Found::AlreadyOpen => match ride {
            None => Progress::Done(Answer::Opened(row.permit.fence)),
            Some(request) if protocol.has(Bug::OnceSharesItsLock) => Progress::Next(Step::Look {
                request,
                once: true,
            }),
            Some(_) => Progress::Next(Step::Open(ride, At::Relock)),
        },
        Found::Refused(reason) => refused(state, ride, reason, row.permit.fence),
    }
}

/// The drain, the second judgement, and the mark: one step, for nobody sees or locks the row in between.
fn lock(
    protocol: &Protocol,
    state: &mut State,
    session: &Session,
    ride: Option<Request>,
    found: bool,
    floor: Fence,
) -> Progress {
    if !protocol.has(Bug::OpenWithoutDrain) && !is_drained(protocol, state, session) {
        return Progress::Blocked;
    }
    let resource = session.resource();
    let row = state.guard.resources[resource].row;
    match row {
        Some(_) if protocol.has(Bug::OpenWithoutSecondJudgement) => {}
        Some(row) => {
            match judge_opening(&state.guard, resource, row, session.permit, protocol.bug) {
                Found::Raise => {}
                Found::AlreadyOpen => {
                    return match ride {
                        None => Progress::Done(Answer::Opened(row.permit.fence)),
                        Some(request) => {
                            once::decide(protocol, state, session, request, session.permit, false)
                        }
                    };
                }
                Found::Refused(reason) => return refused(state, ride, reason, row.permit.fence),
            }
        }
        None if found => return Progress::Done(Answer::Again),
        None if session.permit.fence != NEXT && session.permit.fence < floor => {
            return refused(state, ride, Reason::Stale, floor);
        }
        None => {}
    }
    let permit = raise(protocol, state, session, row, floor);
    match ride {
        None => Progress::Done(Answer::Opened(permit.fence)),
        Some(request) => once::decide(protocol, state, session, request, permit, true),
    }
}

/// `fence.record_opening`.
fn raise(
    protocol: &Protocol,
    state: &mut State,
    session: &Session,
    row: Option<Row>,
    floor: Fence,
) -> Permit {
    let minted = session.permit.fence == NEXT;
    let permit = Permit {
        fence: match minted {
            true => row.map_or(floor, |row| row.permit.fence + 1),
            false => session.permit.fence,
        },
        holder: session.permit.holder,
    };
    let cuts = |row: Row| {
        let stands = row.valid && !row.closed && row.permit.holder != permit.holder;
        stands && (row.minted || minted)
    };
    let table = &mut state.guard.resources[session.resource()];
    table.openings.push(Opening {
        permit,
        closed: false,
        cut_short: row.is_some_and(cuts),
    });
    table.row = Some(Row {
        permit,
        closed: false,
        minted,
        valid: protocol.scope.time,
    });
    permit
}

/// A ride looks the request up once more before it tells a refusal.
fn refused(state: &State, ride: Option<Request>, reason: Reason, mark: Fence) -> Progress {
    match ride {
        None => Progress::Done(Answer::Refused(reason, mark)),
        Some(request) => Progress::Next(Step::Again {
            request,
            reason,
            mark,
            was_applied: state.guard.has(request),
            shares: false,
        }),
    }
}
