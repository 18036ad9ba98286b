//! The seeded bugs: each takes one safeguard away, and must be convicted by exactly the rules named here.

/// One safeguard that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Bug {
    /// No opening: writes check the mark and raise it.
    WriteOnlyMark,
    /// An opening does not wait for the writers in flight.
    OpenWithoutDrain,
    /// A write reads the mark without locking its row.
    AdmitWithoutLock,
    /// An opening is not judged again by what its lock returned.
    OpenWithoutSecondJudgement,
    /// Only the fences are compared, not the holders.
    NoHolderComparison,
    /// Only a lower fence is refused: one that never opened is let in.
    NeverOpenedAdmitted,
    /// A write does not look whether its opening was closed.
    WriteForgetsClose,
    /// An opening does not look whether its number was closed: it opens again.
    OpenForgetsClose,
    /// Closing does not wait for the holder's own writes in flight.
    CloseWithoutDrain,
    /// A section is left by the release alone.
    LeaveWithoutClose,
    /// `charge_once` under an open permit takes the row shared only.
    OnceSharesItsLock,
    /// `resolve` looks without opening above the attempt.
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
    /// A lost counter starts again at 1, and no floor is asked for; nobody remints either.
    CounterStartsAgain,
    /// `open_next` takes over what is unclosed and valid.
    NextIgnoresValid,
    /// `open` takes over what the guard minted and is valid.
    OpenIgnoresMinted,
    /// `open_next` opens for a holder that was overtaken.
    NextForgetsHolder,
    /// `fold` sets the floor to the mark instead of one above.
    FloorEqualsMark,
    /// A first opening reads the floor without keeping it locked.
    FloorNotLocked,
    /// `fold` takes the mark of an opening that is not closed.
    FoldTakesOpen,
}
