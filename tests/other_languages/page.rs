//! Pages, and the programs that stand in them.

/// `sql/README.md`.
pub(crate) const PAGE: Page = Page(include_str!("../../sql/README.md"));

/// fence-guard's README.
pub(crate) const GUARD: Page = Page(include_str!("../../crates/fence-guard/README.md"));

/// A page in Markdown.
#[derive(Clone, Copy)]
pub(crate) struct Page(pub(crate) &'static str);

impl Page {
    /// Whether a text stands in it.
    pub(crate) fn says(self, text: &str) -> bool {
        self.0.contains(text)
    }

    /// The one block of this language that contains a text.
    ///
    /// # Panics
    /// When none does, or several do: the page has changed, and the test must follow.
    pub(crate) fn block(self, language: &str, part: &str) -> &'static str {
        let blocks = self.blocks();
        let mut found = blocks.filter(|(info, text)| *info == language && text.contains(part));
        match (found.next(), found.next()) {
            (Some((_, text)), None) => text,
            (None, _) => panic!("no block of {language} has {part:?}"),
            (Some(_), Some(_)) => panic!("several blocks of {language} have {part:?}"),
        }
    }

    /// What the page shows as printed by a block: the block after it.
    ///
    /// # Panics
    /// When that is no text.
    pub(crate) fn printed_by(self, language: &str, part: &str) -> &'static str {
        let program = self.block(language, part);
        let mut after = self.blocks().skip_while(|(_, text)| *text != program);
        let (info, text) = after.nth(1).expect("a block after the program");
        assert_eq!(info, "text", "what the program prints stands below it");
        text
    }

    /// The blocks in their order: language and text.
    fn blocks(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        // Every other piece between fences is a block, and starts with its language.
        let pieces = self.0.split("```").skip(1).step_by(2);
        pieces.map(|piece| piece.split_once('\n').expect("a block has lines"))
    }
}
