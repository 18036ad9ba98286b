//! The bounds: what is explored, each exhaustively.

use crate::state::Budget;

/// One bounded world. Within its bounds every order of every step is explored.
#[derive(Clone, Debug)]
pub struct Scope {
    /// What the table calls it.
    pub name: &'static str,
    pub(crate) resources: usize,
    /// How many acquisitions there are, each by a new holder.
    pub(crate) holders: u8,
    /// How many request ids.
    pub(crate) requests: u8,
    /// How often each resource is to be paid for.
    pub(crate) due: usize,
    pub(crate) clients: Clients,
    /// `valid_until` matters.
    pub(crate) time: bool,
    /// Unknown outcomes are resolved.
    pub(crate) resolve: bool,
    /// How many transactions are in flight at once.
    pub(crate) sessions: usize,
    pub(crate) budget: Budget,
}

/// Who calls the guard.
#[derive(Clone, Debug)]
pub(crate) enum Clients {
    /// Services, as `fenced-section` makes them act.
    Sections(Vec<Way>),
    /// Anybody, who makes any call with any permit up to this fence, in any order. There is no Redis that
    /// could hand out worse numbers, and no holder that could behave worse.
    Anybody { fences: u8 },
}

/// How a service gets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Way {
    /// `Sections::enter`: acquire, open, read, charge, leave.
    Enter,
    /// The same, and its charge is a `charge_once` in the open section.
    EnterOnce,
    /// `Sections::once`: acquire, `charge_once`, release.
    Once,
    /// `Sections::enter_from_guard`: `open_next`, read, charge, leave.
    FromGuard,
}

impl Scope {
    /// x
    pub fn all() -> Vec<Scope> {
        let b = Budget { replies: 1, memory: 1, ends: 1, folds: 0, calls: 0 };
        let base = Scope { name: "sections", resources: 1, holders: 2, requests: 2, due: 1, clients: Clients::Sections(vec![Way::Enter]), time: false, resolve: false, sessions: 3, budget: b };
        vec![
            base.clone(),
            Scope { name: "sections3", holders: 3, budget: Budget{ replies:0, memory:1, ends:0, ..b}, ..base.clone() },
            Scope { name: "two", resources: 2, holders: 3, budget: Budget{ replies:0, memory:1, ends:0, folds:1, ..b}, ..base.clone() },
            Scope { name: "once", clients: Clients::Sections(vec![Way::Once, Way::EnterOnce, Way::Enter]), budget: Budget{ends:0,..b}, ..base.clone() },
            Scope { name: "resolve", resolve: true, budget: Budget{ends:0,..b}, ..base.clone() },
            Scope { name: "guard", time: true, clients: Clients::Sections(vec![Way::Enter, Way::FromGuard]), budget: Budget{ends:0, replies:1, memory:0,..b}, ..base.clone() },
            Scope { name: "repeat", due: 2, requests:3, budget: Budget{ends:0,..b}, ..base.clone() },
            Scope { name: "anybody", clients: Clients::Anybody{fences:2}, budget: Budget{calls:5, replies:0, memory:0, ends: 0, folds: 1}, ..base.clone() },
        ]
    }
}
