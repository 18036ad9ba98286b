//! What each kind of row looks like: as fields, as columns.

mod entry;
mod figures;
mod finding;
mod hold;
mod opening;
mod refusal;
mod words;

pub(crate) use opening::how;
pub(crate) use words::{moment, percent, span, under, whole_moment};
