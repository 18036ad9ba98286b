//! An answer: its body, and how it came about.

use serde::Serialize;

use crate::asked::Asked;
use crate::{Findings, Query};

/// An answer, and how it came about.
#[derive(Debug)]
pub(crate) struct Answered {
    /// JSON, byte by byte what is kept.
    pub(crate) body: String,
    pub(crate) how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Captured and kept by this request.
    Now,
    /// Captured and kept by an earlier one with the same key.
    Replayed,
    /// Neither captured nor kept: Redis is down, and the instance was told to go on without.
    Unfenced,
}

/// The body.
#[derive(Serialize)]
struct Answer<'a> {
    dataset: &'a str,
    #[serde(flatten)]
    query: Query,
    #[serde(flatten)]
    findings: Findings,
    /// Credits.
    charged: i64,
    /// After it.
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<i64>,
}

impl Answered {
    /// An answer that is kept in the very transaction that has charged so much for it.
    pub(crate) fn now(asked: &Asked, findings: Findings, charged: i64, balance: i64) -> Answered {
        Answered {
            body: body(asked, findings, charged, Some(balance)),
            how: How::Now,
        }
    }

    /// An answer that is kept already.
    pub(crate) fn kept(body: String, how: How) -> Answered {
        Answered { body, how }
    }

    /// An answer that nobody pays for, and nobody keeps.
    pub(crate) fn unfenced(asked: &Asked, findings: Findings) -> Answered {
        Answered {
            body: body(asked, findings, 0, None),
            how: How::Unfenced,
        }
    }
}

fn body(asked: &Asked, findings: Findings, charged: i64, balance: Option<i64>) -> String {
    let answer = Answer {
        dataset: asked.dataset.as_str(),
        query: asked.query,
        findings,
        charged,
        balance,
    };
    serde_json::to_string(&answer).expect("an answer is text and numbers")
}
