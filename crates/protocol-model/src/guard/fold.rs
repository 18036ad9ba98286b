//! `fence.fold`: one step, since it holds the floor exclusively from its first statement to its commit.

use super::Row;
use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::session::Session;
use crate::state::State;

/// Takes away every mark that may go, and lets the floor stand for them. `None` where none may, or where a
/// first opening holds the floor.
pub(crate) fn fold(protocol: &Protocol, state: &mut State) -> Option<()> {
    let holds_floor = Session::shares_floor;
    if !protocol.has(Bug::FloorNotLocked) && state.sessions.iter().any(holds_floor) {
        return None;
    }
    let goes = |resource: usize, row: Row| {
        // `skip locked`.
        let mut sessions = state.sessions.iter();
        let locked = sessions.any(|s| s.resource() == resource && s.shares_row(protocol));
        !locked && row.closed
    };
    let resources = 0..state.guard.resources.len();
    let gone: Vec<(usize, Row)> = resources
        .filter_map(|resource| Some((resource, state.guard.resources[resource].row?)))
        .filter(|(resource, row)| goes(*resource, *row))
        .collect();
    let highest = gone.iter().map(|(_, row)| row.permit.fence).max()?;
    let above = match protocol.has(Bug::FloorEqualsMark) {
        true => highest,
        false => highest + 1,
    };
    state.guard.floor = state.guard.floor.max(above);
    for (resource, _) in gone {
        state.guard.resources[resource].row = None;
    }
    Some(())
}
