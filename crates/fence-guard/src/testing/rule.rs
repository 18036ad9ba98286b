//! The rules that the scenarios prove.

use std::fmt;

/// A safety rule of the design, under its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Fences of one resource strictly grow over openings, whatever their source forgets.
    S1,
    /// After an opening returns, no write under a lower fence commits.
    S2,
    /// Every effect is under the newest opening of its resource, unclosed.
    S3,
    /// Two holders never both write under one number.
    S5,
    /// At most one effect per request id; a replay returns the first outcome.
    S6,
    /// Every refusal is one row, true, and bounded.
    S7,
    /// The rightful holder opens and writes within a bound.
    S10,
}

impl Rule {
    /// What the rule says, in one line.
    pub const fn says(self) -> &'static str {
        match self {
            Rule::S1 => "fences of one resource strictly grow over openings",
            Rule::S2 => "after an opening returns, no write under a lower fence commits",
            Rule::S3 => "every effect is under the newest opening of its resource, unclosed",
            Rule::S5 => "two holders never both write under one number",
            Rule::S6 => "at most one effect per request id; a replay returns the first outcome",
            Rule::S7 => "every refusal is one row, true, and bounded",
            Rule::S10 => "the rightful holder opens and writes within a bound",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rule::S1 => "S1",
            Rule::S2 => "S2",
            Rule::S3 => "S3",
            Rule::S5 => "S5",
            Rule::S6 => "S6",
            Rule::S7 => "S7",
            Rule::S10 => "S10",
        })
    }
}
