//! The sign of a mark: its shape says what it is, also without colour; its number leads to the table.

use maud::{Markup, html};

use super::MarkKind;

/// The sign of a mark around the point (0, 0), 20 pixels high.
pub(crate) fn glyph(kind: MarkKind, number: &str) -> Markup {
    html! {
        g class={ "glyph " (class(kind)) } {
            @match kind {
                MarkKind::Opened => path d="M0 -11L11 0L0 11L-11 0Z" {},
                MarkKind::Entry | MarkKind::Replayed => {
                    rect x="-9" y="-9" width="18" height="18" rx="2" {}
                }
                MarkKind::Refused | MarkKind::KeptOut => path d="M-4 -10H4L10 -4V4L4 10H-4L-10 4V-4Z" {},
                _ => circle r="9" {},
            }
            text class="number" text-anchor="middle" y="3.5" { (number) }
        }
    }
}

/// The class that colours it.
pub(crate) fn class(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Acquired | MarkKind::Released | MarkKind::Expired => "of-lease",
        MarkKind::Opened | MarkKind::Closed => "of-section",
        MarkKind::Entry => "of-entry",
        MarkKind::Refused | MarkKind::KeptOut => "of-refusal",
        MarkKind::Frozen | MarkKind::Woken => "of-frozen",
        MarkKind::Read | MarkKind::Replayed | MarkKind::Note => "of-note",
    }
}
