//! The staircase, each of its fields a link to the cell's picture.

use maud::{Markup, html};

use crate::cell::{Cell, DUE, Incident, Protection};
use crate::played::Played;
use crate::report::staircase::words;

/// The table of what was played; a field that was not is a dash.
pub(super) fn staircase(played: &[Played]) -> Markup {
    let find = |cell: Cell| played.iter().find(|played| played.cell == cell);
    html! {
        table class="staircase" {
            caption { "How often the customer was charged, of " (DUE) " due" }
            thead {
                tr {
                    td {}
                    @for incident in Incident::ALL { th scope="col" { (incident.name()) } }
                }
            }
            tbody {
                @for protection in Protection::ALL {
                    tr {
                        th scope="row" { (protection.name()) }
                        @for incident in Incident::ALL { (field(find(Cell { protection, incident }))) }
                    }
                }
            }
        }
    }
}

fn field(played: Option<&Played>) -> Markup {
    html! {
        @match played {
            None => td class="not-played" { "–" },
            Some(played) => td class=(verdict(played)) {
                a href={ "#" (anchor(played.cell)) } {
                    @if played.error.is_some() { "not played" } @else { (words(played.outcome)) }
                }
            },
        }
    }
}

/// The id of a cell's section.
pub(super) fn anchor(cell: Cell) -> String {
    format!("{}-{}", cell.incident.name(), cell.protection.name())
}

/// The class that colours it.
pub(super) fn verdict(played: &Played) -> &'static str {
    match played.outcome.charged {
        _ if played.error.is_some() => "broken",
        DUE => "paid-once",
        _ => "overcharged",
    }
}
