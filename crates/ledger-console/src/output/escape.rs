//! Names are hostile input: what a terminal would obey, or hide, is shown instead.

use unicode_width::UnicodeWidthStr;

/// What stands for what was left out.
const ELLIPSIS: char = '…';

/// The text as a terminal may show it: control characters, characters of no width, marks that combine with the one
/// before, and those that turn the direction of what follows, as `\u{…}`; a backslash as two.
///
/// ```
/// assert_eq!(ledger_console::output::visible("a\u{202e}b\n"), r"a\u{202e}b\n");
/// ```
pub fn visible(text: &str) -> String {
    text.chars().map(unit).collect()
}

/// The text in at most so many columns, its middle left out if it has to be: names begin alike, and end apart.
/// Never with a part of an escape.
pub fn shorten(text: &str, columns: usize) -> String {
    let units: Vec<String> = text.chars().map(unit).collect();
    let width = |units: &[String]| units.iter().map(|unit| unit.width()).sum::<usize>();
    if width(&units) <= columns {
        return units.concat();
    }
    let half = columns.saturating_sub(1) / 2;
    let head = fitting(units.iter(), columns.saturating_sub(1) - half);
    let tail = fitting(units.iter().rev(), half);
    let (head, tail) = (&units[..head], &units[units.len() - tail..]);
    format!("{}{ELLIPSIS}{}", head.concat(), tail.concat())
}

/// How many of these fit.
fn fitting<'a>(units: impl Iterator<Item = &'a String>, columns: usize) -> usize {
    let widths = units.scan(0, |width, unit| {
        *width += unit.width();
        Some(*width)
    });
    widths.take_while(|width| *width <= columns).count()
}

/// One character as it is shown. Quotes are harmless.
fn unit(c: char) -> String {
    match c {
        '"' | '\'' => c.to_string(),
        _ => c.escape_debug().collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_or_hide_is_shown() {
        for (text, shown) in [
            ("plain:7 \"é\" 日本", "plain:7 \"é\" 日本"),
            ("\x1b[2J", r"\u{1b}[2J"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("a\u{202e}b\u{2066}", r"a\u{202e}b\u{2066}"),
            ("a\u{200b}b\u{feff}", r"a\u{200b}b\u{feff}"),
            ("e\u{301}", r"e\u{301}"),
            (r"\u{1b}", r"\\u{1b}"),
            ("a\tb\r\n\0", r"a\tb\r\n\0"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn the_middle_is_left_out_and_never_a_part_of_an_escape() {
        assert_eq!(shorten("user:7:dataset:42", 17), "user:7:dataset:42");
        assert_eq!(shorten("user:7:dataset:42", 11), "user:…et:42");
        assert_eq!(shorten("日本日本日本", 7), "日…本");
        assert_eq!(shorten("a\u{202e}\u{202e}b", 9), "a…b");
        assert_eq!(shorten("abc", 1), "…");
    }

    proptest! {
        #[test]
        fn whatever_it_was_it_is_one_line_that_fits(text in any::<String>(), columns in 1_usize..100) {
            let shown = shorten(&text, columns);
            prop_assert!(shown.width() <= columns);
            prop_assert!(!shown.chars().any(char::is_control), "{shown:?}");
        }

        #[test]
        fn two_texts_never_look_alike(one in any::<String>(), other in any::<String>()) {
            prop_assert_eq!(one == other, visible(&one) == visible(&other));
        }
    }
}
