//! Figures of one stretch and one prefix.

use fence_guard::FiguresRow;

use super::{moment, percent};
use crate::output::{Field, Row};

impl Row for FiguresRow {
    const HEAD: &'static [&'static str] = &[
        "since (UTC)",
        ">sections",
        ">open",
        ">overruns",
        ">takeovers",
        ">p50",
        ">p90",
        ">p99",
        ">worst",
    ];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("since", self.since.into()),
            ("prefix", self.prefix.as_str().into()),
            ("sections", self.sections.into()),
            ("still_open", self.still_open.into()),
            ("overruns", self.overruns.into()),
            ("takeovers", self.takeovers.into()),
            ("held_p50", self.held_p50.into()),
            ("held_p90", self.held_p90.into()),
            ("held_p99", self.held_p99.into()),
            ("held_worst", self.held_worst.into()),
            ("stale_attempts", self.stale_attempts.into()),
            ("stale", self.stale.into()),
            ("not_open", self.not_open.into()),
            ("conflict", self.conflict.into()),
            ("closed", self.closed.into()),
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            moment(self.since),
            self.sections.to_string(),
            self.still_open.to_string(),
            self.overruns.to_string(),
            self.takeovers.to_string(),
            percent(self.held_p50),
            percent(self.held_p90),
            percent(self.held_p99),
            percent(self.held_worst),
        ]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let prefix = if self.prefix.is_empty() {
            "everything"
        } else {
            &self.prefix
        };
        let refused = [
            ("stale", self.stale),
            ("not open", self.not_open),
            ("conflict", self.conflict),
            ("closed", self.closed),
        ];
        let refused = refused.iter().filter(|(_, writes)| *writes > 0);
        let mut refused: Vec<String> = refused
            .map(|(reason, writes)| format!("{writes} {reason}"))
            .collect();
        if self.stale_attempts > self.stale {
            refused.push(format!("{} stale tries", self.stale_attempts));
        }
        let mut details = vec![("names", prefix.to_owned())];
        if !refused.is_empty() {
            details.push(("refused", refused.join(", ")));
        }
        details
    }
}
