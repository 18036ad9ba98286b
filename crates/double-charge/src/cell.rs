//! The table: five protections, four incidents, and what must come out where they meet.

use serde::{Deserialize, Serialize};

/// What keeps two holders from charging twice, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Protection {
    /// SET NX PX with a fixed value, DEL: the article's lock before.
    SharedValue,
    /// SET NX PX with a random value, compare-and-delete: the article's lock after.
    OwnerToken,
    /// owner-token, and a unique request id in the ledger.
    RequestId,
    /// A fenced lease; the ledger refuses a fence below the highest that has written.
    FenceOnWrite,
    /// A fenced lease; a new holder opens the resource before its first read.
    FenceOpened,
}

/// What goes wrong. In all of them A has acquired and read, and sleeps past its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Incident {
    /// B takes over and reads; A wakes, gives up and releases; C tries to get in while B works.
    ForeignRelease,
    /// B is the same job delivered again, and is done when A wakes and charges.
    Redelivery,
    /// B is a second click, and is done when A wakes and charges.
    LateWake,
    /// B is a second click; A wakes and charges after B has read and before B charges.
    Window,
}

impl Protection {
    pub(crate) const ALL: [Protection; 5] = [
        Protection::SharedValue,
        Protection::OwnerToken,
        Protection::RequestId,
        Protection::FenceOnWrite,
        Protection::FenceOpened,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Protection::SharedValue => "shared-value",
            Protection::OwnerToken => "owner-token",
            Protection::RequestId => "request-id",
            Protection::FenceOnWrite => "fence-on-write",
            Protection::FenceOpened => "fence-opened",
        }
    }

    /// Whether its lock is the fenced lease of `lease-lock`.
    pub(crate) fn is_fenced(self) -> bool {
        matches!(self, Protection::FenceOnWrite | Protection::FenceOpened)
    }
}

impl Incident {
    pub(crate) const ALL: [Incident; 4] = [
        Incident::ForeignRelease,
        Incident::Redelivery,
        Incident::LateWake,
        Incident::Window,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Incident::ForeignRelease => "foreign-release",
            Incident::Redelivery => "redelivery",
            Incident::LateWake => "late-wake",
            Incident::Window => "window",
        }
    }

    /// What happens once A sleeps past its lease and B has taken over.
    pub(crate) fn tells(self) -> &'static str {
        match self {
            Incident::ForeignRelease => {
                "A wakes, gives up, and releases; may C get in while B works?"
            }
            Incident::Redelivery => {
                "B is the same job delivered again, and is done; A wakes and charges"
            }
            Incident::LateWake => "B is a second click, and is done; A wakes and charges",
            Incident::Window => {
                "B is a second click, and has read; A wakes and charges, then B charges"
            }
        }
    }
}

/// One protection in one incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    pub(crate) protection: Protection,
    pub(crate) incident: Incident,
}

/// How often the customer should be charged: one query of one user on one dataset, paid for once.
pub(crate) const DUE: u64 = 1;

/// What comes out of a cell, as far as it is documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// How often the customer was charged, by the ledger's rows.
    pub(crate) charged: u64,
    /// How many writes were refused, by the ledger's rows.
    pub(crate) refused: u64,
    /// How many charges were answered from an earlier one with the same request id.
    pub(crate) replayed: u64,
    /// What became of C's attempt to get in; `None` where there is no C.
    pub(crate) third: Option<Third>,
}

/// What became of C, a further click while B works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Third {
    GotIn,
    KeptOut,
}

impl Cell {
    /// Every cell, row by row.
    pub(crate) fn all() -> impl Iterator<Item = Cell> {
        Protection::ALL.into_iter().flat_map(|protection| {
            Incident::ALL.into_iter().map(move |incident| Cell {
                protection,
                incident,
            })
        })
    }

    /// What must come out: each protection cures one more column than the one before it.
    pub(crate) fn documented(self) -> Outcome {
        use {Incident as I, Protection as P};
        let (charged, refused, replayed) = match (self.protection, self.incident) {
            // A plain DEL frees B's lock, and C gets in.
            (P::SharedValue, _) => (2, 0, 0),
            (P::OwnerToken, I::ForeignRelease) => (1, 0, 0),
            (P::OwnerToken, _) => (2, 0, 0),
            (P::RequestId, I::ForeignRelease) => (1, 0, 0),
            (P::RequestId, I::Redelivery) => (1, 0, 1),
            (P::RequestId, _) => (2, 0, 0),
            (P::FenceOnWrite, I::ForeignRelease) => (1, 0, 0),
            (P::FenceOnWrite, I::Redelivery | I::LateWake) => (1, 1, 0),
            // Nobody has raised the mark between B's acquisition and B's charge.
            (P::FenceOnWrite, I::Window) => (2, 0, 0),
            (P::FenceOpened, I::ForeignRelease) => (1, 0, 0),
            (P::FenceOpened, I::Redelivery) => (1, 0, 1),
            (P::FenceOpened, I::LateWake | I::Window) => (1, 1, 0),
        };
        let third = match (self.incident, self.protection) {
            (I::ForeignRelease, P::SharedValue) => Some(Third::GotIn),
            (I::ForeignRelease, _) => Some(Third::KeptOut),
            _ => None,
        };
        Outcome {
            charged,
            refused,
            replayed,
            third,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protection_cures_exactly_one_more_column() {
        let cured = |protection| {
            Incident::ALL
                .into_iter()
                .filter(|&incident| {
                    Cell {
                        protection,
                        incident,
                    }
                    .documented()
                    .charged
                        == DUE
                })
                .count()
        };
        assert_eq!(Protection::ALL.map(cured), [0, 1, 2, 3, 4]);
    }
}
