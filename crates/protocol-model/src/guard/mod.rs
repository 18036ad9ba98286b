//! The Postgres side: marks, openings, entries, and the functions over them.
//!
//! A function's statements are the steps of a [`Session`](crate::session::Session). From an exclusive lock to
//! its commit is one step: nobody else can see or lock the row in between, and an abort there is an abort before.

mod charge;
mod close;
mod fold;
mod judge;
mod once;
mod open;

pub(crate) use fold::fold;

use crate::protocol::Protocol;
use crate::session::{At, Progress, Session, Step};
use crate::state::State;
use crate::words::{Answer, Fence, Permit, Request};

/// What Postgres keeps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Guard {
    /// `fence.floor`.
    pub(crate) floor: Fence,
    pub(crate) resources: Vec<Table>,
}

/// What concerns one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Table {
    /// The row of `fence.resource`: the mark.
    pub(crate) row: Option<Row>,
    /// `fence.opening`, oldest first.
    pub(crate) openings: Vec<Opening>,
    /// `credit.entry`, in the order of commits.
    pub(crate) entries: Vec<Entry>,
    /// Permits whose holder knows that it has left.
    pub(crate) left: Vec<Permit>,
    /// The highest fence whose attempt a `resolve` has found absent.
    pub(crate) absent: Fence,
    /// Somebody was told of a refusal although its request had been applied when it was judged.
    pub(crate) told_wrongly: bool,
}

/// The mark of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row {
    pub(crate) permit: Permit,
    pub(crate) closed: bool,
    /// Minted by `open_next`.
    pub(crate) minted: bool,
    /// `valid_until` is not over.
    pub(crate) valid: bool,
}

/// One opening, as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Opening {
    pub(crate) permit: Permit,
    pub(crate) closed: bool,
    /// It replaced one of another holder that was to be waited for.
    pub(crate) cut_short: bool,
}

/// One entry of the ledger, with what was true when it was written and when it was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Entry {
    pub(crate) permit: Permit,
    pub(crate) request: Request,
    /// The newest opening when it drew its place in the sequence.
    pub(crate) under: Option<Opening>,
    /// When it was committed, a higher fence had opened.
    pub(crate) after_higher: bool,
    /// … its holder had left already.
    pub(crate) after_left: bool,
    /// … a `resolve` had found it absent.
    pub(crate) after_absent: bool,
}

impl Guard {
    pub(crate) fn new(resources: usize) -> Guard {
        Guard {
            floor: 1,
            resources: vec![Table::default(); resources],
        }
    }

    /// `fence.mark`.
    pub(crate) fn mark(&self, resource: usize) -> Fence {
        let row = self.resources[resource].row;
        row.map_or(self.floor - 1, |row| row.permit.fence)
    }

    /// The entry of a request, whatever its resource: ids are global.
    pub(crate) fn has(&self, request: Request) -> bool {
        let mut entries = self.resources.iter().flat_map(|table| &table.entries);
        entries.any(|entry| entry.request == request)
    }
}

impl Table {
    /// Closes the newest opening.
    fn close(&mut self) {
        if let Some(row) = &mut self.row {
            row.closed = true;
        }
        if let Some(opening) = self.openings.last_mut() {
            opening.closed = true;
        }
    }

    /// Commits an entry.
    pub(crate) fn commit(&mut self, permit: Permit, request: Request, under: Option<Opening>) {
        let higher = |opening: &Opening| opening.permit.fence > permit.fence;
        self.entries.push(Entry {
            permit,
            request,
            under,
            after_higher: self.openings.iter().any(higher),
            after_left: self.left.contains(&permit),
            after_absent: permit.fence <= self.absent,
        });
    }
}

/// Whether nobody holds the session's row FOR SHARE. The session itself has been taken out.
pub(crate) fn is_drained(protocol: &Protocol, state: &State, session: &Session) -> bool {
    let mut others = state.sessions.iter();
    !others.any(|other| other.resource == session.resource && other.shares_row(protocol))
}

/// One step of a session that has been taken out of the state.
pub(crate) fn step(protocol: &Protocol, state: &mut State, session: &Session) -> Progress {
    match session.step {
        Step::Open(ride, at) => open::step(protocol, state, session, ride, at),
        Step::CloseRead => close::read(protocol, state, session),
        Step::CloseLock => close::lock(protocol, state, session),
        Step::Replay { request, once } => {
            let next = match once {
                true => Step::Open(Some(request), At::Read),
                false => Step::Look { request, once },
            };
            charge::replay(protocol, state, request, next)
        }
        Step::Look { request, once } => charge::look(protocol, state, session, request, once),
        Step::Insert(request) => charge::insert(protocol, state, session, request),
        Step::Commit { request, under } => charge::commit(state, session, request, under),
        Step::Again {
            request,
            reason,
            mark,
            was_applied,
            shares: _,
        } => {
            let refusal = Answer::Refused(reason, mark);
            charge::again(protocol, state, session, request, was_applied, refusal)
        }
    }
}
