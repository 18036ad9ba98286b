//! What must happen somewhere: without it, a rule could hold because nothing ever put it to the test.

use stateright::Property;

use crate::client::Phase;
use crate::guard::{Row, Table};
use crate::protocol::Protocol;
use crate::session::{At, Session, Step};
use crate::state::State;
use crate::words::{Call, NEXT, Reason};

pub(crate) const PAID: &str = "something is paid for";
pub(crate) const TWICE: &str = "one holder writes twice";
pub(crate) const TAKEOVER: &str = "an unclosed opening is replaced";
pub(crate) const DRAIN: &str = "an opening waits for a writer in flight";
pub(crate) const CLOSE_DRAIN: &str = "a close waits for the holder's own write";
pub(crate) const OVERTAKEN: &str = "an opening is overtaken while it waits";
pub(crate) const LATE: &str = "a write is overtaken on its way";
pub(crate) const STALE: &str = "a write is refused: stale";
pub(crate) const NOT_OPEN: &str = "a write is refused: not open";
pub(crate) const CONFLICT: &str = "a write is refused: conflict";
pub(crate) const CLOSED: &str = "a write is refused: closed";
pub(crate) const TWIN: &str = "a request waits for its twin";
pub(crate) const SECOND_LOOK: &str = "the second look finds the twin";
pub(crate) const REPLAY: &str = "a stale holder replays what was applied";
pub(crate) const UNHEARD: &str = "a write commits that nobody waits for";
pub(crate) const SAME_NUMBER: &str = "two holders have one number";
pub(crate) const MISSING: &str = "the counter of an opened resource is missing";
pub(crate) const HEALS_STALE: &str = "a fresh lease is told stale";
pub(crate) const HEALS_CONFLICT: &str = "a fresh lease is told conflict";
pub(crate) const ABSENT: &str = "a resolve finds nothing";
pub(crate) const PRESENT: &str = "a resolve finds the entry";
pub(crate) const BUSY: &str = "an opening finds a minted one valid";
pub(crate) const NEXT_BUSY: &str = "open_next finds a valid opening";
pub(crate) const FOLDED: &str = "a mark is folded";
pub(crate) const FOLDED_MEANWHILE: &str = "a mark is folded while its opening waits";
pub(crate) const BELOW_FLOOR: &str = "a first opening comes below the floor";
pub(crate) const RIDES: &str = "charge_once rides in an open section";
pub(crate) const FOUND_PAID: &str = "charge_once finds it paid by another";

/// All of them. Each scope says which it must reach.
pub(crate) fn all() -> Vec<Property<Protocol>> {
    let mut all = of_writes();
    all.extend(of_openings());
    all.extend(of_clients());
    all
}

fn of_writes() -> Vec<Property<Protocol>> {
    vec![
        Property::sometimes(PAID, |_, s| tables(s, |t| !t.entries.is_empty())),
        Property::sometimes(TWICE, |_, s| tables(s, wrote_twice)),
        Property::sometimes(LATE, |_, s| {
            sessions(s, |one| {
                matches!(one.step, Step::Look { .. }) && is_behind(s, one)
            })
        }),
        Property::sometimes(STALE, |_, s| is_refused(s, Reason::Stale)),
        Property::sometimes(NOT_OPEN, |_, s| is_refused(s, Reason::NotOpen)),
        Property::sometimes(CONFLICT, |_, s| is_refused(s, Reason::Conflict)),
        Property::sometimes(CLOSED, |_, s| is_refused(s, Reason::Closed)),
        Property::sometimes(TWIN, |_, s| {
            sessions(s, |one| match one.step {
                Step::Insert(request) => sessions(s, |other| other.has_inserted(request)),
                _ => false,
            })
        }),
        Property::sometimes(SECOND_LOOK, |_, s| {
            sessions(s, |one| match one.step {
                Step::Again { request, .. } => s.guard.has(request),
                _ => false,
            })
        }),
        Property::sometimes(REPLAY, |_, s| {
            sessions(s, |one| match one.step {
                Step::Replay { request, .. } => s.guard.has(request) && is_behind(s, one),
                _ => false,
            })
        }),
        Property::sometimes(UNHEARD, |_, s| {
            sessions(s, |one| {
                matches!(one.step, Step::Commit { .. }) && !one.heard
            })
        }),
    ]
}

fn of_openings() -> Vec<Property<Protocol>> {
    vec![
        Property::sometimes(TAKEOVER, |_, s| tables(s, was_taken_over)),
        Property::sometimes(DRAIN, |protocol, s| {
            sessions(s, |one| {
                is_locking(one) && sessions(s, |other| is_in_flight(protocol, one, other))
            })
        }),
        Property::sometimes(CLOSE_DRAIN, |protocol, s| {
            sessions(s, |one| {
                let closes = one.step == Step::CloseLock;
                closes && sessions(s, |other| is_in_flight(protocol, one, other))
            })
        }),
        Property::sometimes(OVERTAKEN, |_, s| {
            sessions(s, |one| is_locking(one) && is_behind(s, one))
        }),
        Property::sometimes(BUSY, |_, s| {
            sessions(s, |one| {
                let minted = stands(s, one).is_some_and(|row| row.minted);
                is_opening(one) && one.permit.fence != NEXT && minted
            })
        }),
        Property::sometimes(NEXT_BUSY, |_, s| {
            sessions(s, |one| {
                is_opening(one) && one.permit.fence == NEXT && stands(s, one).is_some()
            })
        }),
        Property::sometimes(FOLDED, |_, s| {
            tables(s, |t| t.row.is_none() && !t.openings.is_empty())
        }),
        Property::sometimes(FOLDED_MEANWHILE, |_, s| {
            sessions(s, |one| match one.step {
                Step::Open(_, At::Lock { found, .. }) => found && row(s, one).is_none(),
                _ => false,
            })
        }),
        Property::sometimes(BELOW_FLOOR, |_, s| {
            sessions(s, |one| match one.step {
                Step::Open(
                    _,
                    At::Lock {
                        found: false,
                        floor,
                    },
                ) => one.permit.fence < floor && one.permit.fence != NEXT,
                _ => false,
            })
        }),
        Property::sometimes(RIDES, |_, s| {
            sessions(s, |one| matches!(one.step, Step::Open(Some(_), At::Relock)))
        }),
        Property::sometimes(FOUND_PAID, |_, s| {
            sessions(s, |one| match one.step {
                Step::Open(Some(request), At::Lock { .. }) => {
                    let table = &s.guard.resources[one.resource()];
                    !table.entries.is_empty() && !s.guard.has(request)
                }
                _ => false,
            })
        }),
    ]
}

fn of_clients() -> Vec<Property<Protocol>> {
    vec![
        Property::sometimes(SAME_NUMBER, |_, s| has_same_number(s)),
        Property::sometimes(MISSING, |_, s| {
            phases(s, |resource, phase| {
                phase == Phase::Missing && s.guard.mark(resource) > 0
            })
        }),
        Property::sometimes(HEALS_STALE, |_, s| {
            phases(s, |_, phase| {
                matches!(phase, Phase::Refused(Reason::Stale, _))
            })
        }),
        Property::sometimes(HEALS_CONFLICT, |_, s| {
            phases(s, |_, phase| {
                matches!(phase, Phase::Refused(Reason::Conflict, _))
            })
        }),
        Property::sometimes(ABSENT, |_, s| tables(s, |t| t.absent > 0)),
        Property::sometimes(PRESENT, |_, s: &State| {
            s.workers.iter().any(|worker| {
                let found = worker.resolves.is_some_and(|(_, r)| s.guard.has(r));
                found && worker.phase == Phase::Open
            })
        }),
    ]
}

fn tables(state: &State, is: impl Fn(&Table) -> bool) -> bool {
    state.guard.resources.iter().any(is)
}

fn sessions(state: &State, is: impl Fn(&Session) -> bool) -> bool {
    state.sessions.iter().any(is)
}

fn phases(state: &State, is: impl Fn(usize, Phase) -> bool) -> bool {
    let mut workers = state.workers.iter();
    workers.any(|worker| is(worker.resource(), worker.phase))
}

fn row(state: &State, session: &Session) -> Option<Row> {
    state.guard.resources[session.resource()].row
}

/// The row of another holder that is unclosed and valid.
fn stands(state: &State, session: &Session) -> Option<Row> {
    row(state, session)
        .filter(|row| row.valid && !row.closed && row.permit.holder != session.permit.holder)
}

fn is_behind(state: &State, session: &Session) -> bool {
    let fence = session.permit.fence;
    fence != NEXT && row(state, session).is_some_and(|row| fence < row.permit.fence)
}

fn is_opening(session: &Session) -> bool {
    matches!(session.step, Step::Open(..))
}

fn is_locking(session: &Session) -> bool {
    matches!(session.step, Step::Open(_, At::Lock { .. }))
}

fn is_in_flight(protocol: &Protocol, waiting: &Session, writer: &Session) -> bool {
    writer.resource == waiting.resource && writer.shares_row(protocol)
}

fn is_refused(state: &State, why: Reason) -> bool {
    sessions(
        state,
        |one| matches!(one.step, Step::Again { reason, .. } if reason == why),
    )
}

fn wrote_twice(table: &Table) -> bool {
    let mut pairs = table.entries.windows(2);
    pairs.any(|pair| pair[0].permit == pair[1].permit)
}

fn was_taken_over(table: &Table) -> bool {
    let mut pairs = table.openings.windows(2);
    pairs.any(|pair| !pair[0].closed)
}

fn has_same_number(state: &State) -> bool {
    let has_lease = |phase| {
        !matches!(phase, Phase::Missing | Phase::Asking(_)) && phase != Phase::Unknown(Call::Close)
    };
    let leased = || {
        state
            .workers
            .iter()
            .filter(|worker| has_lease(worker.phase))
    };
    leased().any(|one| {
        leased().any(|other| {
            let same = one.resource == other.resource && one.permit.fence == other.permit.fence;
            same && one.permit.fence != NEXT && one.permit.holder != other.permit.holder
        })
    })
}
