//! An opening, with how it ended.

use fence_guard::OpeningRow;
use time::OffsetDateTime;

use super::{moment, percent, span, under};
use crate::output::{Field, Row};

impl Row for OpeningRow {
    const HEAD: &'static [&'static str] =
        &["at (UTC)", "opening", "how", ">held", ">of time", "end"];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("seq", self.seq.into()),
            ("at", self.at.into()),
            ("resource", self.resource.as_str().into()),
            ("fence", Field::Fence(self.fence)),
            ("holder", self.holder.into()),
            ("valid_until", self.valid_until.into()),
            ("minted", self.minted.into()),
            ("takeover", self.takeover.into()),
            ("previous_fence", Field::fence(self.previous_fence)),
            ("previous_holder", self.previous_holder.into()),
            ("closed_seq", self.closed_seq.into()),
            ("closed_at", self.closed_at.into()),
            ("closed_lease_left_ms", self.closed_lease_left_ms.into()),
            ("next_fence", Field::fence(self.next_fence)),
            ("next_holder", self.next_holder.into()),
            ("next_at", self.next_at.into()),
            ("folded_at", self.folded_at.into()),
        ]
    }

    fn cells(&self) -> Vec<String> {
        let held = self.closed_at.map(|at| at - self.at);
        let part = held.map(|held| held / (self.valid_until - self.at));
        vec![
            moment(self.at),
            under(self.fence, Some(self.holder)),
            how(self),
            held.map_or(String::new(), span),
            percent(part),
            end(self),
        ]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let mut details = vec![("resource", self.resource.clone())];
        if let (true, Some(fence)) = (self.takeover, self.previous_fence) {
            details.push(("from", under(fence, self.previous_holder)));
        }
        details
    }
}

/// How it came to be.
pub(crate) fn how(row: &OpeningRow) -> String {
    let how = if row.takeover { "takeover" } else { "opened" };
    let minted = if row.minted { "+" } else { "" };
    format!("{how}{minted}")
}

/// How it ended, in one word or few.
fn end(row: &OpeningRow) -> String {
    match (row.closed_at, row.next_fence) {
        (Some(_), _) if row.is_closed_late() => match row.closed_lease_left_ms {
            Some(left) if left < 0 => format!(
                "late by {}",
                span(time::Duration::milliseconds(left.saturating_neg()))
            ),
            _ => "late".to_owned(),
        },
        (Some(_), _) => "closed".to_owned(),
        (None, Some(_)) => "taken over".to_owned(),
        (None, None) if row.folded_at.is_some() => "folded".to_owned(),
        // By this machine's clock: a word for people, and no decision.
        (None, None) if row.valid_until < OffsetDateTime::now_utc() => "overdue".to_owned(),
        (None, None) => "open".to_owned(),
    }
}
