//! What is told: an opening, a takeover, a refusal.

use fence_guard::{OpeningRow, RefusalRow};

use crate::output::{Field, Row};
use crate::rows::{moment, under};

/// One of them.
pub(crate) enum News {
    Opening(Box<OpeningRow>),
    Refusal(Box<RefusalRow>),
}

impl From<OpeningRow> for News {
    fn from(row: OpeningRow) -> News {
        News::Opening(Box::new(row))
    }
}

impl From<RefusalRow> for News {
    fn from(row: RefusalRow) -> News {
        News::Refusal(Box::new(row))
    }
}

impl News {
    pub(crate) fn seq(&self) -> i64 {
        match self {
            News::Opening(row) => row.seq,
            News::Refusal(row) => row.seq,
        }
    }

    fn event(&self) -> &'static str {
        match self {
            News::Opening(row) if row.takeover => "takeover",
            News::Opening(_) => "opening",
            News::Refusal(_) => "refusal",
        }
    }

    fn resource(&self) -> &str {
        match self {
            News::Opening(row) => &row.resource,
            News::Refusal(row) => &row.resource,
        }
    }
}

/// Rows come one after the other, so the columns are as wide as they will be.
impl Row for News {
    const HEAD: &'static [&'static str] = &[
        "at (UTC)",
        "event   ",
        "who                ",
        "against            ",
        "why",
    ];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        let (at, fence, holder, against_fence, against_holder) = match self {
            News::Opening(row) => (
                row.at,
                row.fence,
                row.holder,
                row.previous_fence,
                row.previous_holder,
            ),
            News::Refusal(row) => (
                row.first_at,
                row.presented_fence,
                row.presented_holder,
                Some(row.observed_fence),
                row.observed_holder,
            ),
        };
        let refusal = match self {
            News::Opening(_) => None,
            News::Refusal(row) => Some(row),
        };
        let valid_until = match self {
            News::Opening(row) => Some(row.valid_until),
            News::Refusal(_) => None,
        };
        vec![
            ("event", self.event().into()),
            ("seq", self.seq().into()),
            ("at", at.into()),
            ("resource", self.resource().into()),
            ("fence", Field::Fence(fence)),
            ("holder", holder.into()),
            ("against_fence", Field::fence(against_fence)),
            ("against_holder", against_holder.into()),
            ("valid_until", valid_until.into()),
            ("reason", refusal.map(|row| row.reason.clone()).into()),
            ("operation", refusal.map(|row| row.operation.clone()).into()),
            ("request", refusal.map(|row| row.request).into()),
            (
                "write",
                refusal.map_or(Field::Absent, |row| Field::Json(row.write.clone())),
            ),
        ]
    }

    fn cells(&self) -> Vec<String> {
        let (at, who, against, why) = match self {
            News::Opening(row) => (
                row.at,
                under(row.fence, Some(row.holder)),
                row.previous_fence
                    .map_or(String::new(), |fence| under(fence, row.previous_holder)),
                String::new(),
            ),
            News::Refusal(row) => (
                row.first_at,
                under(row.presented_fence, Some(row.presented_holder)),
                under(row.observed_fence, row.observed_holder),
                row.reason.clone(),
            ),
        };
        vec![moment(at), self.event().to_owned(), who, against, why]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let mut details = vec![("resource", self.resource().to_owned())];
        if let News::Refusal(row) = self {
            details.push(("write", row.operation.clone()));
        }
        details
    }
}
