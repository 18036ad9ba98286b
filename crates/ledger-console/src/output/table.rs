//! A table for people: short columns, and below each row what is too long for one.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use super::{COLUMNS, Row, shorten, visible};

/// How far details stand in.
const INDENT: usize = 2;
/// Between two details of one line.
const BETWEEN: &str = "  ";

/// Rows as lines. Whatever is in a row was chosen by others: it is escaped here.
pub fn table<R: Row>(rows: &[R], with_head: bool) -> String {
    let grid = grid(rows);
    let mut lines = grid.lines().map(|line| line.trim_end().to_owned());
    let mut text = String::new();
    if let Some(head) = lines.next().filter(|_| with_head) {
        push(&mut text, &head);
    }
    for (row, line) in rows.iter().zip(lines) {
        push(&mut text, &line);
        let prose = row.prose().into_iter().flat_map(|prose| wrapped(&prose));
        for line in details(&row.details()).into_iter().chain(prose) {
            push(&mut text, &line);
        }
    }
    text
}

/// The columns, lined up; each row is one line.
fn grid<R: Row>(rows: &[R]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.force_no_tty();
    table.set_header(R::HEAD.iter().map(|name| name.trim_start_matches('>')));
    for row in rows {
        let cells = row.cells().into_iter();
        table.add_row(cells.map(|cell| shorten(&cell, COLUMNS)));
    }
    for (index, name) in R::HEAD.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_padding((0, 2));
            if name.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
}

/// As many to a line as fit into it, each whole where a line is enough.
fn details(details: &[(&'static str, String)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (name, text) in details {
        let room = COLUMNS - INDENT - name.len() - 1;
        let part = format!("{name} {}", shorten(text, room));
        match lines.last_mut() {
            Some(line) if line.width() + BETWEEN.len() + part.width() <= COLUMNS => {
                line.push_str(BETWEEN);
                line.push_str(&part);
            }
            _ => lines.push(format!("{}{part}", " ".repeat(INDENT))),
        }
    }
    lines
}

/// Lines of whole words; a word that is longer than a line has one of its own.
fn wrapped(prose: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in prose.split_whitespace().map(visible) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= COLUMNS => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(format!("{}{word}", " ".repeat(INDENT))),
        }
    }
    lines
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::output::Field;

    /// A row of whatever text.
    struct Any(String);

    impl Row for Any {
        const HEAD: &'static [&'static str] = &["what", ">number"];

        fn fields(&self) -> Vec<(&'static str, Field)> {
            vec![("what", self.0.as_str().into())]
        }

        fn cells(&self) -> Vec<String> {
            vec!["short".to_owned(), "7".to_owned()]
        }

        fn details(&self) -> Vec<(&'static str, String)> {
            vec![("name", self.0.clone()), ("also", self.0.clone())]
        }

        fn prose(&self) -> Option<String> {
            Some(
                "several words that say what it means, and what is to be done about it, at length"
                    .to_owned(),
            )
        }
    }

    #[test]
    fn details_share_a_line_where_they_fit_and_prose_is_broken_between_words() {
        let text = table(&[Any("user:7".to_owned())], true);
        assert_eq!(
            text,
            "what   number\n\
             short       7\n  \
               name user:7  also user:7\n  \
               several words that say what it means, and what is to be done about it, at\n  \
               length\n"
        );
    }

    proptest! {
        #[test]
        fn whatever_the_names_are_every_line_fits_and_nothing_is_obeyed(name in any::<String>()) {
            let text = table(&[Any(name)], true);
            for line in text.lines() {
                prop_assert!(line.width() <= COLUMNS, "{line:?}");
                prop_assert!(!line.chars().any(char::is_control), "{line:?}");
            }
        }
    }
}
