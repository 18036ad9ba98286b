//! Text of strangers, made visible. Escaping is the markup's part; this is about what no escaping helps.

use std::borrow::Cow;

/// The text with everything that is invisible, or turns what stands around it, replaced by something that
/// can be seen: a newline by `␊`, NUL by `␀`, a right-to-left override by `⟨U+202E⟩`. What neither HTML nor
/// XML may contain becomes `�`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_plain(c) => visible.push(c),
            '\0'..='\x1f' => visible.push(control_picture(c)),
            '\x7f' => visible.push('\u{2421}'),
            c if is_format(c) => visible.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
            _ => visible.push(char::REPLACEMENT_CHARACTER),
        }
    }
    Cow::Owned(visible)
}

fn is_plain(c: char) -> bool {
    !c.is_control() && !is_format(c) && !is_noncharacter(c)
}

/// Unicode has a picture for each control character, in their order.
fn control_picture(c: char) -> char {
    char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Directional marks and overrides, separators, and what has no width. The joiners U+200C and U+200D
/// belong to words and emoji, and stay.
fn is_format(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn is_noncharacter(c: char) -> bool {
    let code = u32::from(c);
    code & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_left_as_they_are() {
        for name in ["user:7:dataset:42", "naïve <b> & \"q\"", "家族👨‍👩‍👧"] {
            assert!(
                matches!(shown(name), Cow::Borrowed(same) if same == name),
                "{name}"
            );
        }
    }

    #[test]
    fn what_hides_or_turns_text_is_made_visible() {
        assert_eq!(shown("a\0b\n\x7f\u{9b}"), "a␀b␊␡�");
        assert_eq!(shown("user\u{202e}7\u{200b}"), "user⟨U+202E⟩7⟨U+200B⟩");
        assert_eq!(shown("\u{ffff}\u{fdd0}\u{1fffe}"), "���");
    }
}
