//! The staircase: protections down, incidents across, how often the customer was charged in each.

use std::fmt::Write;

use comfy_table::{Attribute, Cell as Field, Color};

use crate::cell::{Cell, DUE, Incident, Outcome, Protection, Third};
use crate::played::Played;

/// The whole table, with its legend, ready to print.
pub(crate) fn staircase(played: &[Played]) -> String {
    let mut table = super::table();
    let bold = |text: &str| Field::new(text).add_attribute(Attribute::Bold);
    let head = Incident::ALL
        .into_iter()
        .map(|incident| bold(incident.name()));
    table.set_header(std::iter::once(bold("charged, of 1 due")).chain(head));
    for protection in Protection::ALL {
        let fields = Incident::ALL.into_iter().map(|incident| {
            let cell = Cell {
                protection,
                incident,
            };
            played
                .iter()
                .find(|played| played.cell == cell)
                .map_or(Field::new("-"), field)
        });
        table.add_row(std::iter::once(Field::new(protection.name())).chain(fields));
    }
    let mut text = String::new();
    let _ = writeln!(text, "{}", table.trim_fmt());
    text.push_str(&legend());
    text.push_str(&closing(played));
    text
}

/// What the columns are, for somebody who sees the table first.
fn legend() -> String {
    let mut text = "
A has acquired the lock and read \"not paid\"; frozen, it sleeps past its lease. B takes over. Then
"
    .to_owned();
    for incident in Incident::ALL {
        let _ = writeln!(text, " {:<16} {}", incident.name(), incident.tells());
    }
    text.push('\n');
    text
}

fn field(played: &Played) -> Field {
    if played.error.is_some() {
        return Field::new("not played").fg(Color::Yellow);
    }
    let colour = if played.outcome.charged == DUE {
        Color::Green
    } else {
        Color::Red
    };
    let mark = if played.is_as_documented() { "" } else { " !" };
    Field::new(format!("{}{mark}", words(played.outcome))).fg(colour)
}

/// The number, and what kept it down (or let it up).
pub(super) fn words(outcome: Outcome) -> String {
    let number = outcome.charged;
    match outcome {
        Outcome {
            third: Some(Third::GotIn),
            ..
        } => format!("{number} (C gets in)"),
        Outcome {
            third: Some(Third::KeptOut),
            ..
        } => format!("{number} (C kept out)"),
        Outcome { refused: 1.., .. } => format!("{number} ({} refused)", outcome.refused),
        Outcome { replayed: 1.., .. } => format!("{number} (replayed)"),
        _ => number.to_string(),
    }
}

fn closing(played: &[Played]) -> String {
    let good = played
        .iter()
        .filter(|played| played.is_as_documented())
        .count();
    let mut text = format!(
        "{good} of {} cells came out as documented\n",
        Cell::all().count()
    );
    for played in played.iter().filter(|played| !played.is_as_documented()) {
        let Cell {
            protection,
            incident,
        } = played.cell;
        let why = played.error.clone().unwrap_or_else(|| {
            let due = words(played.cell.documented());
            format!(
                "documented is {due}, it came out as {}",
                words(played.outcome)
            )
        });
        let _ = writeln!(
            text,
            "! {} under {}: {why}",
            incident.name(),
            protection.name()
        );
    }
    text
}
