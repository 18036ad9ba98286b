//! A story as a picture: who held what and when, drawn as SVG inside HTML.
//!
//! The one renderer of this workspace: the page of `ledger serve` and the report of `double-charge --html`
//! are drawn by it. It is pure: a [`Story`] goes in, markup comes out. It neither asks a server nor reads a
//! clock.
//!
//! What the markup keeps to, whatever the names in a story are:
//!
//! - no script, no inline style, nothing that is fetched: it works under `default-src 'none'` with
//!   [`STYLE`] allowed, and without JavaScript;
//! - every name is escaped, and what would hide or turn text around is made visible ([`shown`]);
//! - what the picture shows, tables below it say in words; each mark can be reached by keyboard;
//! - it is as wide as its place: positions are shares of the width, sizes are pixels, so letters stay
//!   legible on a phone;
//! - it is bounded: [`LANES_AT_MOST`] and [`MARKS_AT_MOST`]; what is left out is said.
//!
//! ```
//! use ledger_console::picture::{Anchor, Lane, Mark, MarkId, MarkKind, Moment, Story, Times};
//!
//! let mut lane = Lane::new("A", "fence 1");
//! lane.marks.push(Mark::new(MarkId(1), Moment::from_micros(0), MarkKind::Opened, "opens, the mark is 1"));
//! let story = Story::new(Anchor::new("s"), "one opening", Times::SinceBegin, vec![lane]);
//! assert!(story.draw().into_string().contains("opens, the mark is 1"));
//! ```

mod anchor;
mod figure;
mod glyph;
mod lane;
mod moment;
mod plan;
mod scale;
mod shown;
mod story;
mod tables;

#[cfg(test)]
mod properties;

pub use anchor::Anchor;
pub use maud::Markup;
pub use moment::{Moment, Times};
pub use plan::{LANES_AT_MOST, MARKS_AT_MOST};
pub use shown::shown;
pub use story::{Bar, BarKind, Lane, Mark, MarkId, MarkKind, Story};

/// The style sheet of every picture, dark and light. It fetches nothing.
pub const STYLE: &str = include_str!("picture.css");
