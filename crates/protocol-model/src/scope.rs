//! The bounds: what is explored, each exhaustively.

use crate::reached::{
    ABSENT, BELOW_FLOOR, BUSY, CLOSE_DRAIN, CLOSED, CONFLICT, DRAIN, FOLDED, FOLDED_MEANWHILE,
    FOUND_PAID, HEALS_CONFLICT, HEALS_STALE, LATE, MISSING, NEXT_BUSY, NOT_OPEN, OVERTAKEN, PAID,
    PRESENT, REPLAY, RIDES, SAME_NUMBER, SECOND_LOOK, STALE, TAKEOVER, TWICE, TWIN, UNHEARD,
};
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
    pub(crate) reaches: &'static [&'static str],
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
    /// All of them, in the order of the table.
    pub fn all() -> Vec<Scope> {
        vec![
            sections(),
            three_holders(),
            lost_memory(),
            two_resources(),
            several_due(),
            once(),
            resolve(),
            from_the_guard(),
            anybody(),
        ]
    }

    /// The scope of this name; beside those of the table there is a smaller one for seeded bugs.
    pub fn named(name: &str) -> Option<Scope> {
        let mut scopes = Scope::all().into_iter().chain([anybody_briefly()]);
        scopes.find(|scope| scope.name == name)
    }

    /// What must be reached in it, so that its rules do not hold in vain.
    pub fn reaches(&self) -> Vec<&'static str> {
        [&EVERYWHERE, self.reaches].concat()
    }

    /// The bounds in words.
    pub fn bounds(&self) -> String {
        let who = match &self.clients {
            Clients::Sections(_) => format!("{} holders", self.holders),
            Clients::Anybody { fences } => format!(
                "any {} calls, fences to {fences}, {} holders",
                self.budget.calls, self.holders
            ),
        };
        let mut bounds = vec![who, format!("{} requests", self.requests)];
        let mut add = |n: usize, one: &str, more: &str| match n {
            0 => {}
            1 => bounds.push(format!("1 {one}")),
            n => bounds.push(format!("{n} {more}")),
        };
        if self.resources > 1 {
            add(self.resources, "resource", "resources");
        }
        if self.due > 1 {
            add(self.due, "due", "due");
        }
        add(self.sessions, "call in flight", "calls in flight");
        add(self.budget.replies.into(), "reply lost", "replies lost");
        add(self.budget.memory.into(), "memory loss", "memory losses");
        add(
            self.budget.ends.into(),
            "abort or crash",
            "aborts or crashes",
        );
        add(self.budget.folds.into(), "fold", "folds");
        bounds.join(", ")
    }
}

const NO_FAULTS: Budget = Budget {
    replies: 0,
    memory: 0,
    ends: 0,
    folds: 0,
    calls: 0,
};

/// What every scope must reach.
const EVERYWHERE: [&str; 9] = [
    PAID,
    TAKEOVER,
    DRAIN,
    CLOSE_DRAIN,
    OVERTAKEN,
    LATE,
    STALE,
    SECOND_LOOK,
    REPLAY,
];

/// … every scope in which Redis forgets.
const FORGETS: [&str; 4] = [SAME_NUMBER, MISSING, HEALS_STALE, HEALS_CONFLICT];

/// One of each fault, between two acquisitions.
fn sections() -> Scope {
    Scope {
        name: "sections",
        resources: 1,
        holders: 2,
        requests: 2,
        due: 1,
        clients: Clients::Sections(vec![Way::Enter]),
        time: false,
        resolve: false,
        sessions: 3,
        budget: Budget {
            replies: 1,
            memory: 1,
            ends: 1,
            ..NO_FAULTS
        },
        reaches: &[
            SAME_NUMBER,
            MISSING,
            HEALS_STALE,
            HEALS_CONFLICT,
            TWIN,
            UNHEARD,
            CLOSED,
        ],
    }
}

/// A third acquisition: the zombie, its successor, and who comes after both.
fn three_holders() -> Scope {
    Scope {
        name: "three holders",
        holders: 3,
        budget: Budget {
            replies: 1,
            ..NO_FAULTS
        },
        reaches: &[TWIN, UNHEARD, CLOSED],
        ..sections()
    }
}

/// Redis forgets twice.
fn lost_memory() -> Scope {
    Scope {
        name: "lost memory",
        holders: 3,
        budget: Budget {
            memory: 2,
            ..NO_FAULTS
        },
        reaches: &FORGETS,
        ..sections()
    }
}

/// Two that share a counter, and the floor that stands for folded marks.
fn two_resources() -> Scope {
    Scope {
        name: "two resources",
        resources: 2,
        holders: 3,
        sessions: 2,
        budget: Budget {
            memory: 1,
            folds: 1,
            ..NO_FAULTS
        },
        reaches: &[MISSING, HEALS_STALE, FOLDED, FOLDED_MEANWHILE, BELOW_FLOOR],
        ..sections()
    }
}

/// A holder goes on reading and writing.
fn several_due() -> Scope {
    Scope {
        name: "several due",
        due: 2,
        requests: 3,
        budget: Budget {
            replies: 1,
            memory: 1,
            ..NO_FAULTS
        },
        reaches: &[TWICE, TWIN, UNHEARD, SAME_NUMBER],
        ..sections()
    }
}

/// `charge_once`, by itself and in open sections, beside sections that look and charge.
fn once() -> Scope {
    Scope {
        name: "once",
        clients: Clients::Sections(vec![Way::Once, Way::EnterOnce, Way::Enter]),
        budget: Budget {
            replies: 1,
            memory: 1,
            ..NO_FAULTS
        },
        reaches: &[RIDES, FOUND_PAID, CONFLICT],
        ..sections()
    }
}

/// Unknown outcomes are found out, by the same holder or by a new one.
fn resolve() -> Scope {
    Scope {
        name: "resolve",
        resolve: true,
        budget: Budget {
            replies: 2,
            ..NO_FAULTS
        },
        reaches: &[ABSENT, PRESENT, UNHEARD],
        ..sections()
    }
}

/// Redis is away for some: they open under fences that the guard mints.
fn from_the_guard() -> Scope {
    Scope {
        name: "from the guard",
        clients: Clients::Sections(vec![Way::Enter, Way::FromGuard]),
        time: true,
        budget: Budget {
            replies: 1,
            memory: 1,
            ..NO_FAULTS
        },
        reaches: &[BUSY, NEXT_BUSY, HEALS_STALE],
        ..sections()
    }
}

/// S9: no Redis, no manners.
fn anybody() -> Scope {
    Scope {
        name: "anybody",
        clients: Clients::Anybody { fences: 2 },
        budget: Budget {
            folds: 1,
            calls: 5,
            ..NO_FAULTS
        },
        reaches: &[
            NOT_OPEN,
            CONFLICT,
            CLOSED,
            TWICE,
            FOLDED,
            FOLDED_MEANWHILE,
            BELOW_FLOOR,
        ],
        ..sections()
    }
}

/// The same with a call less, in which a wrong guard does not take long.
fn anybody_briefly() -> Scope {
    Scope {
        name: "anybody, briefly",
        budget: Budget {
            folds: 1,
            calls: 4,
            ..NO_FAULTS
        },
        ..anybody()
    }
}
