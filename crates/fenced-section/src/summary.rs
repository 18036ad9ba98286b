//! The figures at one moment.

use std::fmt;

use crate::ratio::{HOLD_BOUNDS_PERCENT, HoldRatios};

/// What happened so far: above all, how often the work outlived its lease, which no lock library tells.
///
/// The counts are read one after the other, so sections that are entered or left meanwhile may show in
/// some of them only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Sections entered, by lease, from the guard, by `resolve` and by `once`.
    pub entered: u64,
    /// Sections left, also those that were dropped.
    pub left: u64,
    /// Of these, those that outlived their lease.
    pub overruns: u64,
    /// Of the entered ones, those over an opening that was not closed.
    pub takeovers: u64,
    /// Openings, closes and calls of `once` that the guard turned away for good. What it turns away
    /// within `run` is the caller's to count, and a row of the guard.
    pub refusals: u64,
    /// Sections that went on above the guard's mark, because Redis had lost numbers.
    pub healed: u64,
    /// Requests without an answer, each of which was sent again.
    pub unknown: u64,
    /// Works that ran without lease and permit.
    pub unfenced: u64,
    /// How long sections lasted, measured by their TTL.
    pub hold: HoldRatios,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "sections  {} entered, {} left, {} overruns, {} takeovers",
            self.entered, self.left, self.overruns, self.takeovers
        )?;
        writeln!(
            f,
            "answers   {} refusals, {} healed, {} unknown, {} unfenced",
            self.refusals, self.healed, self.unknown, self.unfenced
        )?;
        write!(f, "hold/ttl ")?;
        for (bound, sections) in HOLD_BOUNDS_PERCENT.iter().zip(self.hold.sections) {
            write!(f, " ≤{bound}%: {sections}")?;
        }
        write!(
            f,
            " above: {}",
            self.hold.sections[HOLD_BOUNDS_PERCENT.len()]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_shows_every_figure() {
        let summary = Summary {
            entered: 11,
            left: 12,
            overruns: 13,
            takeovers: 14,
            refusals: 15,
            healed: 16,
            unknown: 17,
            unfenced: 18,
            hold: HoldRatios {
                sections: [21, 22, 23, 24, 25, 26, 27, 28],
            },
        };
        assert_eq!(
            summary.to_string(),
            "sections  11 entered, 12 left, 13 overruns, 14 takeovers\n\
             answers   15 refusals, 16 healed, 17 unknown, 18 unfenced\n\
             hold/ttl  ≤10%: 21 ≤25%: 22 ≤50%: 23 ≤75%: 24 ≤90%: 25 ≤100%: 26 ≤200%: 27 above: 28"
        );
    }
}
