//! The rows of one resource as a story to be drawn: a lane for each opening.
//!
//! Postgres knows nothing of Redis: when a lease was acquired and who was frozen is in no row, so neither is
//! drawn here. `double-charge --html` plays with both at hand, and draws them.

use std::collections::BTreeMap;

use fence_guard::{OpeningRow, RefusalRow};
use time::OffsetDateTime;
use uuid::Uuid;

use super::read::Told;
use crate::picture::{Anchor, Bar, BarKind, Lane, Mark, MarkId, MarkKind, Moment, Story, Times};

/// How many lanes are drawn: those of openings, and of holders that were refused and have none among them.
const LANES: usize = 48;

/// The id of the picture on the page.
pub(super) fn anchor() -> Anchor {
    Anchor::new("story")
}

/// The story of the resource whose rows these are.
pub(super) fn story(resource: &str, rows: &Told) -> Story {
    let mut lanes: BTreeMap<(i64, Uuid), Lane> = BTreeMap::new();
    for row in &rows.openings {
        lanes.insert((row.fence, row.holder), of_opening(row, rows.now));
    }
    for row in &rows.entries {
        let (Some(fence), Some(holder)) = (row.fence, row.holder) else {
            continue;
        };
        if let Some(lane) = lanes.get_mut(&(fence, holder)) {
            let text = format!(
                "{} of {} for {}: entry {}",
                row.operation, -row.change, row.account, row.seq
            );
            lane.marks.push(Mark::new(
                number(row.seq),
                row.at.into(),
                MarkKind::Entry,
                text,
            ));
        }
    }
    for row in &rows.refusals {
        let key = (row.presented_fence, row.presented_holder);
        if lanes.len() >= LANES && !lanes.contains_key(&key) {
            continue;
        }
        let lane = lanes.entry(key).or_insert_with(|| without_opening(row));
        lane.marks.push(of_refusal(row, rows));
    }
    let title = format!("{resource}: who opened, who wrote, who was refused");
    Story::new(anchor(), title, Times::Utc, lanes.into_values().collect())
}

/// The lane of a holder that was refused, and of which no opening is drawn. That of a stale write may have opened
/// before all that is drawn; so may have one that closed. The others never had.
fn without_opening(row: &RefusalRow) -> Lane {
    let how = match row.reason.as_str() {
        "stale" => "opened earlier, or never",
        "closed" => "opened earlier",
        _ => "never opened",
    };
    Lane::new(
        format!("fence {}", row.presented_fence),
        format!("{}, {how}", short(row.presented_holder)),
    )
}

fn of_opening(row: &OpeningRow, now: OffsetDateTime) -> Lane {
    let takeover = if row.takeover { ", took over" } else { "" };
    let mut lane = Lane::new(
        format!("fence {}", row.fence),
        format!("{}{takeover}", short(row.holder)),
    );
    let from: Moment = row.at.into();
    let over = row
        .closed_at
        .map_or(row.valid_until, |closed| closed.min(row.valid_until));
    let lease = format!("meant to hold until {}", row.valid_until);
    lane.bars.push(Bar {
        kind: BarKind::Lease,
        from,
        // What lies ahead has not ended, and would take all the room.
        to: (over <= now).then(|| over.into()),
        text: lease,
    });
    let to = row.ended_at().map(Moment::from);
    lane.bars.push(Bar {
        kind: BarKind::Section,
        from,
        to,
        text: format!("fence {}", row.fence),
    });
    let opens = match row.previous_fence.filter(|_| row.takeover) {
        Some(previous) => format!(
            "opens, the mark is {}; it took over from fence {previous}",
            row.fence
        ),
        None => format!("opens, the mark is {}", row.fence),
    };
    lane.marks
        .push(Mark::new(number(row.seq), from, MarkKind::Opened, opens));
    if let (Some(seq), Some(at)) = (row.closed_seq, row.closed_at) {
        let left = row.closed_lease_left_ms.unwrap_or(0);
        let text = match left {
            0.. => format!("closes, {left} ms of its lease left"),
            _ => format!("closes, {} ms after its lease was over", -left),
        };
        lane.marks
            .push(Mark::new(number(seq), at.into(), MarkKind::Closed, text));
    }
    lane
}

fn of_refusal(row: &RefusalRow, rows: &Told) -> Mark {
    let times = if row.attempts == 1 {
        String::new()
    } else {
        format!(", {} times", row.attempts)
    };
    let text = format!(
        "{} is refused, {}: fence {}, the mark is {}{times}",
        row.operation, row.reason, row.presented_fence, row.observed_fence,
    );
    let by = rows
        .openings
        .iter()
        .find(|opening| opening.fence == row.observed_fence);
    // What was written after its own close is refused by that.
    let by = by.map(|opening| match opening.closed_seq {
        Some(closed) if row.reason == "closed" => number(closed),
        _ => number(opening.seq),
    });
    Mark {
        refused_by: by,
        ..Mark::new(
            number(row.seq),
            row.first_at.into(),
            MarkKind::Refused,
            text,
        )
    }
}

/// Openings, closes, entries and refusals are numbered by one sequence.
fn number(seq: i64) -> MarkId {
    MarkId(seq.unsigned_abs())
}

/// The first block of a holder's UUID: enough to tell those of one picture apart.
pub(super) fn short(holder: Uuid) -> String {
    holder.to_string()[..8].to_owned()
}
