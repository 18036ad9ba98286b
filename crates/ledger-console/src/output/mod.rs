//! How answers are written: a table for people, JSON and CSV for programs.

mod csv;
mod escape;
mod field;
mod json;
mod table;

use std::io::{self, Write};

pub use escape::{shorten, visible};
pub use field::Field;
pub use json::{json_line, list, member, object};
pub use table::table;

use crate::cli::Format;

/// How wide a table is at most, whatever the terminal: what is pasted somewhere looks as it did here. Only numbers are
/// never shortened.
pub const COLUMNS: usize = 80;

/// What is listed.
pub trait Row {
    /// The heads of the table's columns. Those that begin with `>` have numbers, which are aligned to the right.
    const HEAD: &'static [&'static str];

    /// Everything that is known of it, whole, for JSON and CSV; always the same names in the same order.
    fn fields(&self) -> Vec<(&'static str, Field)>;

    /// One short text for each column of the table.
    fn cells(&self) -> Vec<String>;

    /// What is too long for a column, with its name: shown below the row, in full where that fits.
    fn details(&self) -> Vec<(&'static str, String)>;

    /// Whole sentences, which are broken between words and never shortened.
    fn prose(&self) -> Option<String> {
        None
    }
}

/// Where answers go, and how.
pub struct Output<'a> {
    format: Format,
    to: &'a mut (dyn Write + Send),
    has_head: bool,
}

impl<'a> Output<'a> {
    /// Writes to `to`.
    pub fn new(format: Format, to: &'a mut (dyn Write + Send)) -> Output<'a> {
        Output {
            format,
            to,
            has_head: false,
        }
    }

    /// Writes rows, with a head where the format has one; rows that are written later have none again.
    ///
    /// # Errors
    /// Whatever keeps them from being written; [`io::ErrorKind::BrokenPipe`] when nobody reads on.
    pub fn rows<R: Row>(&mut self, rows: &[R]) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let text = match self.format {
            Format::Table => table(rows, !self.has_head),
            Format::Json => rows
                .iter()
                .map(|row| json_line(&object(row.fields())))
                .collect(),
            Format::Csv => csv::text(rows, !self.has_head)?,
        };
        self.has_head = true;
        self.text(&text)
    }

    /// Writes a text as it is.
    ///
    /// # Errors
    /// As [`rows`](Output::rows).
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.to.write_all(text.as_bytes())?;
        self.to.flush()
    }
}
