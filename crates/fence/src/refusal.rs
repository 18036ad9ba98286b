//! Why a guard turned a write away.

use std::fmt;
use std::str::FromStr;

use crate::{Fence, Floor, Holder, Permit};

/// The four reasons to refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Reason {
    /// A higher fence has been opened: this holder was overtaken.
    Stale,
    /// The fence is higher than the mark, but it never opened.
    #[cfg_attr(feature = "serde", serde(rename = "not open"))]
    NotOpen,
    /// The same fence was opened by another holder.
    Conflict,
    /// It is this holder's own opening, and it has been closed.
    Closed,
}

impl Reason {
    /// The word that the guard's SQL uses: `stale`, `not open`, `conflict`, `closed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Stale => "stale",
            Reason::NotOpen => "not open",
            Reason::Conflict => "conflict",
            Reason::Closed => "closed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Reason {
    type Err = ();

    fn from_str(word: &str) -> Result<Reason, ()> {
        [
            Reason::Stale,
            Reason::NotOpen,
            Reason::Conflict,
            Reason::Closed,
        ]
        .into_iter()
        .find(|reason| reason.as_str() == word)
        .ok_or(())
    }
}

/// A write (or an opening) that the guard turned away: what was shown, and what the guard saw.
///
/// It is a value with numbers, not a bare "no": an operator can tell who was overtaken by whom. As serde it holds
/// both holders, so it is for your own journal; what another service is told must not name them ([`Holder`]).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(into = "RefusalFields"))]
pub struct Refusal {
    presented: Permit,
    reason: Reason,
    mark: Floor,
    opened_by: Option<Holder>,
}

impl Refusal {
    /// Puts together what the guard answered. `mark` is 0 and `opened_by` empty where the resource
    /// was never opened; `opened_by` is empty also where the mark was folded into the floor.
    pub fn new(
        presented: Permit,
        reason: Reason,
        mark: Floor,
        opened_by: Option<Holder>,
    ) -> Refusal {
        Refusal {
            presented,
            reason,
            mark,
            opened_by,
        }
    }

    /// The permit that was shown.
    pub fn presented(&self) -> &Permit {
        &self.presented
    }

    /// Why it was refused.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The mark that the guard saw: the highest fence opened by then, 0 if none.
    pub fn mark(&self) -> Floor {
        self.mark
    }

    /// The mark as a fence; `None` if nothing was opened by then.
    pub fn mark_fence(&self) -> Option<Fence> {
        Fence::new(self.mark.get()).ok()
    }

    /// Who had opened the mark.
    pub fn opened_by(&self) -> Option<Holder> {
        self.opened_by
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (resource, fence) = (self.presented.resource(), self.presented.fence());
        let mark = self.mark;
        match self.reason {
            Reason::Stale => write!(
                f,
                "stale: fence {fence} of {resource} was overtaken by {mark}; give this work up"
            ),
            Reason::NotOpen => write!(
                f,
                "not open: fence {fence} of {resource} is above the mark {mark}; open before the first read"
            ),
            Reason::Conflict => write!(
                f,
                "conflict: fence {fence} of {resource} was opened by another holder; remint above {mark}"
            ),
            Reason::Closed => write!(
                f,
                "closed: the opening {fence} of {resource} was closed by its holder; acquire again"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
struct RefusalFields {
    presented: Permit,
    reason: Reason,
    mark: Floor,
    opened_by: Option<Holder>,
}

#[cfg(feature = "serde")]
impl From<Refusal> for RefusalFields {
    fn from(refusal: Refusal) -> RefusalFields {
        RefusalFields {
            presented: refusal.presented,
            reason: refusal.reason,
            mark: refusal.mark,
            opened_by: refusal.opened_by,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_reads_back_from_its_word() {
        for reason in [
            Reason::Stale,
            Reason::NotOpen,
            Reason::Conflict,
            Reason::Closed,
        ] {
            assert_eq!(reason.as_str().parse(), Ok(reason));
        }
        assert_eq!("invalid".parse::<Reason>(), Err(()));
    }

    #[test]
    fn a_refusal_says_both_numbers() {
        let permit = Permit::new("r".parse().unwrap(), Fence::MIN, Holder::random());
        let text = Refusal::new(permit, Reason::Stale, Floor::new(2).unwrap(), None).to_string();
        assert!(text.contains("fence 1") && text.contains("by 2"), "{text}");
    }
}
