//! The seeded bugs: each takes one safeguard away, and is convicted by exactly the rules named here.

use clap::ValueEnum;

use crate::explore::Verdict;
use crate::rules::{ABSENT, LEFT, PAID, S1, S2, S3, S4, S5, S6, S6_TOLD, S10, VALID};
use crate::scope::Scope;

/// One safeguard that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Bug {
    /// No opening: writes check the mark and raise it.
    WriteOnlyMark,
    /// An opening does not wait for the writers in flight.
    OpenWithoutDrain,
    /// A write reads the mark without locking its row.
    AdmitWithoutLock,
    /// An opening is not judged again by what its lock returned.
    OpenWithoutSecondJudgement,
    /// An opening takes its row shared before it takes it exclusively: two of them wait for each other.
    OpenSharesFirst,
    /// Fences are compared, holders are not.
    NoHolderComparison,
    /// Only a lower fence is refused: one that never opened is let in.
    NeverOpenedAdmitted,
    /// A write does not look whether its opening was closed.
    WriteForgetsClose,
    /// An opening does not look whether it was closed: its number opens again.
    OpenForgetsClose,
    /// Closing does not wait for the holder's own writes in flight.
    CloseWithoutDrain,
    /// A section is left by the release alone.
    LeaveWithoutClose,
    /// charge_once under an open permit takes the row shared only.
    OnceSharesItsLock,
    /// resolve looks without opening above the attempt.
    ResolveLooksFirst,
    /// A refusal is told without a second look for the request id.
    LookedUpOnce,
    /// The guard is asked before the request id is looked up, and a refusal is told at once.
    RefusalBeforeReplay,
    /// The ledger has no unique request id.
    NoUniqueRequest,
    /// A remint gives the lease the number that it has already.
    RemintSameNumber,
    /// Nobody remints: who is told stale gives up.
    NoRemint,
    /// open_next takes over what is unclosed and valid.
    NextIgnoresValid,
    /// open takes over what the guard minted and is valid.
    OpenIgnoresMinted,
    /// fold sets the floor to the mark instead of one above.
    FloorEqualsMark,
    /// A first opening reads the floor without keeping it locked.
    FloorNotLocked,
}

impl Bug {
    /// The rules that some state breaks without this safeguard: these, and no others.
    pub fn breaks(self) -> &'static [&'static str] {
        match self {
            // Without an opening there is nothing that heals either.
            Bug::WriteOnlyMark => &[S10, PAID],
            // A place in the sequence that is drawn after the check may come after the opening's.
            Bug::OpenWithoutDrain => &[S2, S3, PAID],
            Bug::AdmitWithoutLock => &[S2, S3, LEFT, PAID],
            Bug::OpenWithoutSecondJudgement => &[S1, S2, S4, S5, PAID],
            // A deadlock. Postgres would end one of the two, after a second.
            Bug::OpenSharesFirst => &[S10],
            // Who rides in another's opening is shut out by another's close, and does not heal.
            Bug::NoHolderComparison => &[S3, S5, S10, PAID],
            Bug::NeverOpenedAdmitted => &[S3, S5, LEFT],
            Bug::WriteForgetsClose => &[S3, LEFT],
            Bug::OpenForgetsClose => &[S1],
            Bug::CloseWithoutDrain => &[S3, LEFT],
            Bug::LeaveWithoutClose => &[LEFT],
            Bug::OnceSharesItsLock => &[PAID],
            Bug::ResolveLooksFirst => &[ABSENT],
            Bug::LookedUpOnce | Bug::RefusalBeforeReplay => &[S6_TOLD],
            Bug::NoUniqueRequest => &[S6, PAID],
            // Liveness alone: the guard refuses whatever number Redis hands out.
            Bug::RemintSameNumber | Bug::NoRemint => &[S10],
            // No safety rule: any opening is safe. What breaks is the promise to whoever was to be waited for.
            Bug::NextIgnoresValid | Bug::OpenIgnoresMinted => &[VALID],
            Bug::FloorEqualsMark => &[S1, S4, LEFT],
            Bug::FloorNotLocked => &[S1, S2, S4, LEFT],
        }
    }

    /// The name of the scope that it is convicted in: a small one that has what it takes.
    pub fn scope(self) -> &'static str {
        match self {
            Bug::OnceSharesItsLock => "once",
            Bug::ResolveLooksFirst => "resolve",
            Bug::NextIgnoresValid | Bug::OpenIgnoresMinted => "from the guard",
            Bug::NeverOpenedAdmitted | Bug::FloorEqualsMark | Bug::FloorNotLocked => {
                "anybody, briefly"
            }
            _ => "sections",
        }
    }

    /// That scope.
    ///
    /// # Panics
    /// Not as long as every name that [`scope`](Bug::scope) gives is in [`Scope::all`].
    pub fn in_scope(self) -> Scope {
        Scope::named(self.scope()).expect("each bug is convicted in a scope that is there")
    }

    /// Whether exactly what it should break is broken.
    pub fn is_convicted_by(self, verdict: &Verdict) -> bool {
        verdict.broken.iter().eq(self.breaks_sorted().iter())
    }

    fn breaks_sorted(self) -> Vec<&'static str> {
        let mut rules = self.breaks().to_vec();
        rules.sort_unstable();
        rules
    }

    /// All of them, in the order of the table.
    pub fn all() -> &'static [Bug] {
        Bug::value_variants()
    }

    /// What is missing, in a sentence.
    pub fn about(self) -> String {
        let value = self.to_possible_value();
        let help = value.and_then(|value| value.get_help().map(ToString::to_string));
        help.unwrap_or_default()
    }

    /// As the command line names it.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
