//! What a run shows: the staircase, the timeline of a cell, JSON, the report in HTML, the refused writes.

mod html;
mod json;
mod refusals;
mod staircase;
mod timeline;

pub(crate) use html::{ReportFile, Setting, html};
pub(crate) use json::Document;
pub(crate) use refusals::{Refused, refusals};
pub(crate) use staircase::staircase;
pub(crate) use timeline::timeline;

use comfy_table::{Table, presets};

/// A table without lines, as wide as it needs; coloured only where standard output wants colour.
fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => table.force_no_tty(),
        _ => table.enforce_styling(),
    };
    table
}
