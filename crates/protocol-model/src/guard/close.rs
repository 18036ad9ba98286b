//! `fence.close`.

use super::is_drained;
use super::judge::judge;
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::session::{Progress, Session, Step};
use crate::state::State;
use crate::words::{Answer, Reason};

/// Judged by a plain read, like an opening: who was overtaken does not queue.
pub(super) fn read(protocol: &Protocol, state: &State, session: &Session) -> Progress {
    match judge(
        &state.guard,
        session.resource(),
        session.permit,
        protocol.bug,
    ) {
        None => Progress::Next(Step::CloseLock),
        Some((Reason::Closed, _)) => Progress::Done(Answer::Closed),
        Some((reason, mark)) => Progress::Done(Answer::Refused(reason, mark)),
    }
}

/// Waits for the holder's own writes in flight, judges again, and closes.
pub(super) fn lock(protocol: &Protocol, state: &mut State, session: &Session) -> Progress {
    if !protocol.has(Bug::CloseWithoutDrain) && !is_drained(protocol, state, session) {
        return Progress::Blocked;
    }
    let resource = session.resource();
    match judge(&state.guard, resource, session.permit, protocol.bug) {
        None | Some((Reason::Closed, _)) => {
            state.guard.resources[resource].close();
            Progress::Done(Answer::Closed)
        }
        Some((reason, mark)) => Progress::Done(Answer::Refused(reason, mark)),
    }
}
