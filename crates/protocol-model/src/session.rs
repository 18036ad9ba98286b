//! A transaction in flight: one call, statement by statement.

use crate::bug::Bug;
use crate::guard::{self, Opening};
use crate::protocol::Protocol;
use crate::state::State;
use crate::words::{Answer, Call, Fence, Permit, Reason, Request};

/// One call on its way through Postgres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Session {
    pub(crate) resource: u8,
    pub(crate) permit: Permit,
    /// Somebody waits for the answer. Without, it goes on all the same.
    pub(crate) heard: bool,
    /// What comes next.
    pub(crate) step: Step,
}

/// The statement that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    /// `fence.raise_mark`; within `charge_once` with its request.
    Open(Option<Request>, At),
    /// `fence.close`: the plain read.
    CloseRead,
    /// … the lock, the second judgement, the commit.
    CloseLock,
    /// `credit.replay`, first.
    Replay { request: Request, once: bool },
    /// `fence.look`: the row FOR SHARE. `once` only where a bug has it so.
    Look { request: Request, once: bool },
    /// `credit.post`: draws its place in the sequence, and writes the entry.
    Insert(Request),
    /// The commit of the entry.
    Commit {
        request: Request,
        under: Option<Opening>,
    },
    /// `credit.replay`, before a refusal is told.
    Again {
        request: Request,
        reason: Reason,
        mark: Fence,
        /// When it was refused, there was an entry.
        was_applied: bool,
        /// It holds the row FOR SHARE.
        shares: bool,
    },
}

/// How far an opening is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum At {
    /// The plain read and the first judgement.
    Read,
    /// There was no row: the floor FOR SHARE.
    Floor,
    /// The row exclusively (the drain), the second judgement, the mark, the commit.
    Lock { found: bool, floor: Fence },
    /// `credit.ride` under an open permit: exclusively all the same.
    Relock,
}

/// What a step comes to.
pub(crate) enum Progress {
    /// It waits for a lock.
    Blocked,
    Next(Step),
    /// Committed, or ended without a change.
    Done(Answer),
}

impl Session {
    pub(crate) fn new(resource: u8, permit: Permit, call: Call) -> Session {
        let step = match call {
            Call::Open => Step::Open(None, At::Read),
            Call::Close => Step::CloseRead,
            Call::Charge(request) => Step::Replay {
                request,
                once: false,
            },
            Call::Once(request) => Step::Replay {
                request,
                once: true,
            },
        };
        Session {
            resource,
            permit,
            heard: true,
            step,
        }
    }

    pub(crate) fn resource(&self) -> usize {
        self.resource.into()
    }

    /// Whether it holds its resource's row FOR SHARE.
    pub(crate) fn shares_row(&self, protocol: &Protocol) -> bool {
        let shares = match self.step {
            Step::Insert(_) | Step::Commit { .. } => true,
            Step::Again { shares, .. } => shares,
            Step::Open(_, At::Lock { found, .. }) => found && protocol.has(Bug::OpenSharesFirst),
            _ => false,
        };
        shares && !protocol.has(Bug::AdmitWithoutLock)
    }

    /// Whether it holds the floor FOR SHARE.
    pub(crate) fn shares_floor(&self) -> bool {
        matches!(self.step, Step::Open(_, At::Lock { found: false, .. }))
    }

    /// Whether it has written an entry of this request, not committed yet.
    pub(crate) fn has_inserted(&self, request: Request) -> bool {
        matches!(self.step, Step::Commit { request: mine, .. } if mine == request)
    }
}

/// Takes one step of one session. `None` where it waits for a lock.
pub(crate) fn advance(protocol: &Protocol, state: &mut State, at: usize) -> Option<()> {
    let mut session = state.sessions.remove(at);
    match guard::step(protocol, state, &session) {
        Progress::Blocked => return None,
        Progress::Next(step) => {
            session.step = step;
            state.sessions.push(session);
        }
        Progress::Done(answer) if session.heard => {
            crate::client::hear(protocol, state, &session, answer);
        }
        Progress::Done(_) => {}
    }
    Some(())
}
