//! What a picture is drawn of.

use super::{Anchor, Moment, Times};

/// Everything that one picture shows.
#[derive(Debug, Clone)]
pub struct Story {
    /// Tells its ids from those of other pictures on the page.
    pub anchor: Anchor,
    /// Its name, for those who hear it.
    pub title: String,
    /// How its moments are named.
    pub times: Times,
    /// From top to bottom.
    pub lanes: Vec<Lane>,
    /// The moment at which it was looked at: there, bars without an end are cut off. The last moment that
    /// any lane names, if it is later or if none is given.
    pub until: Option<Moment>,
    /// Whether the tables below the picture are unfolded from the start.
    pub unfolded: bool,
}

/// What one holder did, and what was done to it.
#[derive(Debug, Clone)]
pub struct Lane {
    /// Whose lane it is.
    pub name: String,
    /// More about it, in smaller letters.
    pub detail: String,
    /// What lasted, in any order.
    pub bars: Vec<Bar>,
    /// What happened, in any order.
    pub marks: Vec<Mark>,
}

/// Something that lasted.
#[derive(Debug, Clone)]
pub struct Bar {
    /// What it was.
    pub kind: BarKind,
    /// When it began.
    pub from: Moment,
    /// When it ended; `None` where it had not when the story was looked at.
    pub to: Option<Moment>,
    /// The same in words.
    pub text: String,
}

/// What lasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarKind {
    /// The lease was granted: from acquired to expired, or given back.
    Lease,
    /// Between acquired and opened: nothing keeps older holders from writing yet.
    Window,
    /// Between opened and closed, or overtaken: what this holder writes is admitted.
    Section,
    /// The process stood still.
    Frozen,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Its number, once in a story.
    pub id: MarkId,
    /// When.
    pub at: Moment,
    /// What.
    pub kind: MarkKind,
    /// One word that stands above it where there is room; the kind's, unless there is a better one.
    pub word: &'static str,
    /// The same in words, with its numbers.
    pub text: String,
    /// The mark that made it come out so: of a refused write, the opening that refused it. A line is
    /// drawn to it.
    pub refused_by: Option<MarkId>,
}

/// The number of a mark, once in a story: a sequence number of the guard, or the place in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MarkId(pub u64);

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// It got the lease.
    Acquired,
    /// Another had the lease.
    KeptOut,
    /// It raised the mark to its fence.
    Opened,
    /// It read what it decides by.
    Read,
    /// A write was admitted: an entry of the ledger.
    Entry,
    /// The first outcome of the same request was given again.
    Replayed,
    /// A write was refused.
    Refused,
    /// SIGSTOP.
    Frozen,
    /// SIGCONT.
    Woken,
    /// Its lease ended while it still ran.
    Expired,
    /// It closed its opening.
    Closed,
    /// It gave its lease back.
    Released,
    /// Anything else.
    Note,
}

impl Story {
    /// A story that was looked at when its last mark was made, with its tables folded.
    pub fn new(anchor: Anchor, title: impl Into<String>, times: Times, lanes: Vec<Lane>) -> Story {
        let (title, until, unfolded) = (title.into(), None, false);
        Story {
            anchor,
            title,
            times,
            lanes,
            until,
            unfolded,
        }
    }
}

impl Lane {
    /// A lane in which nothing has happened yet.
    pub fn new(name: impl Into<String>, detail: impl Into<String>) -> Lane {
        let (name, detail) = (name.into(), detail.into());
        Lane {
            name,
            detail,
            bars: Vec::new(),
            marks: Vec::new(),
        }
    }
}

impl Mark {
    /// A mark that no other mark explains.
    pub fn new(id: MarkId, at: Moment, kind: MarkKind, text: impl Into<String>) -> Mark {
        let (word, text) = (kind.name(), text.into());
        Mark {
            id,
            at,
            kind,
            word,
            text,
            refused_by: None,
        }
    }
}

impl BarKind {
    /// In the order in which they are drawn: later ones lie above.
    pub(crate) const ALL: [BarKind; 4] = [
        BarKind::Lease,
        BarKind::Window,
        BarKind::Section,
        BarKind::Frozen,
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            BarKind::Lease => "lease",
            BarKind::Window => "window",
            BarKind::Section => "section",
            BarKind::Frozen => "frozen",
        }
    }
}

impl MarkKind {
    /// Its word, short enough to stand above a mark.
    pub fn name(self) -> &'static str {
        match self {
            MarkKind::Acquired => "acquires",
            MarkKind::KeptOut => "kept out",
            MarkKind::Opened => "opens",
            MarkKind::Read => "reads",
            MarkKind::Entry => "charges",
            MarkKind::Replayed => "replayed",
            MarkKind::Refused => "refused",
            MarkKind::Frozen => "frozen",
            MarkKind::Woken => "wakes",
            MarkKind::Expired => "expired",
            MarkKind::Closed => "closes",
            MarkKind::Released => "releases",
            MarkKind::Note => "",
        }
    }
}
