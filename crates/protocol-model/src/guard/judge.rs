//! `fence.judge` and `fence.judge_opening`.

use super::{Guard, Row};
use crate::bug::Bug;
use crate::words::{Fence, NEXT, Permit, Reason};

/// `fence.judge` with `fence.look_floor`: why a write is refused, and by which mark. `None` admits.
pub(super) fn judge(
    guard: &Guard,
    resource: usize,
    permit: Permit,
    bug: Option<Bug>,
) -> Option<(Reason, Fence)> {
    let Some(row) = guard.resources[resource].row else {
        let stale = permit.fence < guard.floor;
        return Some(match stale {
            true => (Reason::Stale, guard.floor),
            false if bug == Some(Bug::NeverOpenedAdmitted) => return None,
            false => (Reason::NotOpen, guard.floor - 1),
        });
    };
    let mark = row.permit.fence;
    let reason = if permit.fence < mark {
        Reason::Stale
    } else if permit.fence > mark {
        match bug {
            Some(Bug::NeverOpenedAdmitted) => return None,
            _ => Reason::NotOpen,
        }
    } else if permit.holder != row.permit.holder && bug != Some(Bug::NoHolderComparison) {
        Reason::Conflict
    } else if row.closed && bug != Some(Bug::WriteForgetsClose) {
        Reason::Closed
    } else {
        return None;
    };
    Some((reason, mark))
}

/// What an opening finds where there is a mark.
pub(super) enum Found {
    Raise,
    AlreadyOpen,
    Refused(Reason),
}

/// `fence.judge_opening`.
pub(super) fn judge_opening(
    guard: &Guard,
    resource: usize,
    row: Row,
    permit: Permit,
    bug: Option<Bug>,
) -> Found {
    if permit.fence == NEXT {
        return judge_next(guard, resource, row, permit, bug);
    }
    let mark = row.permit.fence;
    if permit.fence < mark {
        Found::Refused(Reason::Stale)
    } else if permit.fence > mark {
        let other = row.permit.holder != permit.holder;
        let busy = row.minted && row.valid && !row.closed && other;
        match busy && bug != Some(Bug::OpenIgnoresMinted) {
            true => Found::Refused(Reason::Busy),
            false => Found::Raise,
        }
    } else if permit.holder != row.permit.holder && bug != Some(Bug::NoHolderComparison) {
        Found::Refused(Reason::Conflict)
    } else if row.closed {
        match bug == Some(Bug::OpenForgetsClose) {
            true => Found::Raise,
            false => Found::Refused(Reason::Closed),
        }
    } else {
        Found::AlreadyOpen
    }
}

fn judge_next(guard: &Guard, resource: usize, row: Row, permit: Permit, bug: Option<Bug>) -> Found {
    let mut openings = guard.resources[resource].openings.iter();
    if row.permit.holder == permit.holder {
        match row.closed {
            true => Found::Refused(Reason::Closed),
            false => Found::AlreadyOpen,
        }
    } else if openings.any(|opening| opening.permit.holder == permit.holder) {
        Found::Refused(Reason::Stale)
    } else if row.valid && !row.closed && bug != Some(Bug::NextIgnoresValid) {
        Found::Refused(Reason::Busy)
    } else {
        Found::Raise
    }
}
