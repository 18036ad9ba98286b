//! A played cell as a story to be drawn: from the program's own record, event by event.

use std::collections::BTreeMap;

use ledger_console::picture::{
    Anchor, Bar, BarKind, Lane, Mark, MarkId, MarkKind, Moment, Story, Times,
};

use super::staircase::anchor;
use crate::log::Entry;
use crate::played::Played;
use crate::wire::Event;

/// What Redis answers of a lock that nobody has.
const NO_LOCK: &str = "(nil)";

/// The story of a cell: a lane for each holder, a mark for each entry of the log.
pub(super) fn story(played: &Played) -> Story {
    let entries = &played.entries;
    let holders: BTreeMap<char, i32> = entries
        .iter()
        .map(|entry| (entry.holder, entry.pid))
        .collect();
    let lanes = holders
        .iter()
        .map(|(&holder, &pid)| lane(entries, holder, pid))
        .collect();
    let title = format!(
        "{} under {}, step by step",
        played.cell.incident.name(),
        played.cell.protection.name()
    );
    Story::new(
        Anchor::new(&anchor(played.cell)),
        title,
        Times::SinceBegin,
        lanes,
    )
}

fn lane(entries: &[Entry], holder: char, pid: i32) -> Lane {
    let mut lane = Lane::new(holder, format!("process {pid}"));
    let own = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.holder == holder);
    for (index, entry) in own {
        let mut mark = Mark::new(id(index), at(entry), kind(&entry.event), entry.text.clone());
        mark.refused_by = refused_by(entries, index);
        mark.word = word(&entry.event).unwrap_or(mark.word);
        lane.marks.push(mark);
        lane.bars.extend(bars(entries, index));
    }
    lane
}

fn id(index: usize) -> MarkId {
    MarkId(index as u64)
}

fn at(entry: &Entry) -> Moment {
    Moment::from_micros(entry.at.as_micros().try_into().unwrap_or(i64::MAX))
}

fn kind(event: &Event) -> MarkKind {
    match event {
        Event::Acquired { .. } => MarkKind::Acquired,
        Event::KeptOut { .. } => MarkKind::KeptOut,
        Event::Opened { .. } => MarkKind::Opened,
        Event::Read { .. } => MarkKind::Read,
        Event::Charged { .. } => MarkKind::Entry,
        Event::Replayed { .. } => MarkKind::Replayed,
        Event::Refused { .. } => MarkKind::Refused,
        Event::Closed { .. } => MarkKind::Closed,
        Event::Released { .. } => MarkKind::Released,
        Event::Frozen => MarkKind::Frozen,
        Event::Woken => MarkKind::Woken,
        Event::Expired { .. } => MarkKind::Expired,
        Event::Started
        | Event::CounterMissing { .. }
        | Event::Reminted { .. }
        | Event::GaveUp
        | Event::AlreadyPaid
        | Event::Worked
        | Event::Failed { .. }
        | Event::LockSeen { .. } => MarkKind::Note,
    }
}

/// A word for what the picture has no kind of.
fn word(event: &Event) -> Option<&'static str> {
    Some(match event {
        Event::Started => "starts",
        Event::CounterMissing { .. } => "no counter",
        Event::Reminted { .. } => "remints",
        Event::GaveUp => "gives up",
        Event::AlreadyPaid => "paid already",
        Event::Worked => "has worked",
        Event::Failed { .. } => "fails",
        Event::LockSeen { .. } => "its lock?",
        _ => return None,
    })
}

/// What raised the mark above the fence of a refused write: an opening, or under `fence-on-write`, a write.
fn refused_by(entries: &[Entry], index: usize) -> Option<MarkId> {
    let Event::Refused { mark, .. } = entries[index].event else {
        return None;
    };
    let raised = |entry: &Entry| match entry.event {
        Event::Opened { fence, .. } => fence == mark,
        Event::Charged { fence, .. } => fence == Some(mark),
        _ => false,
    };
    entries[..index].iter().position(raised).map(id)
}

/// What began with this entry and lasted.
fn bars(entries: &[Entry], index: usize) -> Vec<Bar> {
    let (entry, later) = (&entries[index], &entries[index + 1..]);
    let own = |wanted: fn(&Event) -> bool| {
        let found = later
            .iter()
            .find(|later| later.holder == entry.holder && wanted(&later.event));
        found.map(at)
    };
    let bar = |kind, to, text: String| Bar {
        kind,
        from: at(entry),
        to,
        text,
    };
    match &entry.event {
        Event::Frozen => {
            let woken = own(|event| matches!(event, Event::Woken));
            vec![bar(BarKind::Frozen, woken, "SIGSTOP to SIGCONT".to_owned())]
        }
        Event::Acquired { redis, .. } => {
            let lease = bar(BarKind::Lease, lease_end(entries, index), redis.to_string());
            let opened = own(|event| matches!(event, Event::Opened { .. }));
            let window = opened.map(|opened| {
                bar(
                    BarKind::Window,
                    Some(opened),
                    "acquired, not opened yet".to_owned(),
                )
            });
            std::iter::once(lease).chain(window).collect()
        }
        Event::Opened { fence, .. } => {
            vec![bar(
                BarKind::Section,
                section_end(entries, index),
                format!("fence {fence}"),
            )]
        }
        _ => Vec::new(),
    }
}

/// A lease ends when it expires, is given back, or is freed by another, which its holder does not notice.
fn lease_end(entries: &[Entry], index: usize) -> Option<Moment> {
    let own = |entry: &&Entry| entry.holder == entries[index].holder;
    entries[index..]
        .iter()
        .filter(own)
        .find_map(|entry| match &entry.event {
            Event::Expired { .. } | Event::Released { .. } => Some(at(entry)),
            Event::LockSeen { redis, .. } if redis.reply == NO_LOCK => {
                Some(freed_before(entries, entry))
            }
            _ => None,
        })
}

/// When somebody else released last before this look; the look itself, if nobody had.
fn freed_before(entries: &[Entry], look: &Entry) -> Moment {
    let released = |entry: &&Entry| {
        entry.holder != look.holder
            && entry.at <= look.at
            && matches!(entry.event, Event::Released { .. })
    };
    at(entries.iter().rev().find(released).unwrap_or(look))
}

fn section_end(entries: &[Entry], index: usize) -> Option<Moment> {
    let holder = entries[index].holder;
    let ended = entries[index + 1..].iter().find(|entry| match entry.event {
        Event::Closed { .. } => entry.holder == holder,
        // Whoever opens next overtakes it.
        Event::Opened { .. } => entry.holder != holder,
        _ => false,
    });
    ended.map(at)
}
