//! The part of a page's ids that tells one picture from another.

use std::fmt;

/// A prefix of HTML ids: letters, digits and hyphens only, so that it needs no escaping in a `#fragment`
/// nor in `url(#…)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Anchor(String);

impl Anchor {
    /// Keeps the letters, digits and hyphens of `text`. Two pictures of one page need two anchors.
    pub fn new(text: &str) -> Anchor {
        let kept = text
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '-');
        Anchor(kept.collect())
    }

    /// An id of its own for a part of the picture.
    pub(crate) fn part(&self, part: &str) -> String {
        format!("{self}-{part}")
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
