//! The timeline of one cell: a column for each holder, in the order in which things happened.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::{Attribute, Cell as Field, Color, ColumnConstraint, Width};

use crate::cell::{Cell, DUE};
use crate::log::Entry;
use crate::played::Played;
use crate::report::refusals::Refused;
use crate::wire::Event;

/// The width of a timeline that is not for a terminal, in columns, and its bounds on one.
const WIDTH: u16 = 120;
const NARROWEST: u16 = 80;
const WIDEST: u16 = 160;

/// The timeline of a cell, with what came out of it and the rows that were refused.
pub(crate) fn timeline(played: &Played, refused: &[Refused]) -> String {
    let Cell {
        protection,
        incident,
    } = played.cell;
    let mut text = format!("{} under {}\n\n", incident.name(), protection.name());
    let _ = writeln!(text, "resource  {}", played.names.resource);
    let _ = writeln!(text, "account   {}\n", played.names.account);
    let _ = writeln!(text, "{}", rows(&played.entries));
    let documented = if played.is_as_documented() {
        "as documented"
    } else {
        "NOT as documented"
    };
    let _ = writeln!(
        text,
        "\ncharged {} of {DUE} due, {documented}",
        played.outcome.charged
    );
    if let Some(error) = &played.error {
        let _ = writeln!(text, "not played to its end: {error}");
    }
    for row in refused {
        let _ = writeln!(text, "refused: {row}");
    }
    text
}

fn rows(entries: &[Entry]) -> String {
    let holders: BTreeMap<char, i32> = entries
        .iter()
        .map(|entry| (entry.holder, entry.pid))
        .collect();
    let mut table = super::table();
    let width = table.width().unwrap_or(WIDTH).clamp(NARROWEST, WIDEST);
    table
        .set_content_arrangement(comfy_table::ContentArrangement::Dynamic)
        .set_width(width);
    let head = holders
        .iter()
        .map(|(name, pid)| format!("{name} (pid {pid})"));
    let head = std::iter::once("ms".to_owned()).chain(head);
    table.set_header(head.map(|text| Field::new(text).add_attribute(Attribute::Bold)));
    for entry in entries {
        let lanes = holders.keys().map(|&name| {
            let text = if name == entry.holder {
                entry.text.as_str()
            } else {
                ""
            };
            coloured(Field::new(text), &entry.event)
        });
        table.add_row(std::iter::once(Field::new(entry.at_ms)).chain(lanes));
    }
    let share = (width - 8) / u16::try_from(holders.len().max(1)).unwrap_or(1);
    let lanes = holders
        .iter()
        .map(|_| ColumnConstraint::Absolute(Width::Fixed(share)));
    table
        .set_constraints(std::iter::once(ColumnConstraint::Absolute(Width::Fixed(8))).chain(lanes));
    table.trim_fmt()
}

fn coloured(field: Field, event: &Event) -> Field {
    match event {
        Event::Charged { .. } => field.fg(Color::Yellow),
        Event::Refused { .. } | Event::Failed { .. } | Event::KeptOut { .. } => {
            field.fg(Color::Red)
        }
        Event::Frozen | Event::Woken | Event::Expired { .. } => field.fg(Color::Cyan),
        Event::Opened { .. } | Event::Replayed { .. } => field.fg(Color::Green),
        _ => field,
    }
}
