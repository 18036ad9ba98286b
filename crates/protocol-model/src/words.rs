//! The words of the protocol, as small numbers.

/// A fence. [`NEXT`] stands for the one that `fence.open_next` is to mint.
pub(crate) type Fence = u8;
/// The holder of one acquisition. They are numbered in the order in which they are drawn.
pub(crate) type Holder = u8;
/// A request id, numbered in the order of first use.
pub(crate) type Request = u8;

/// What `p_fence is null` is to `fence.raise_mark`: the guard mints mark + 1.
pub(crate) const NEXT: Fence = 0;

/// What a holder shows to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Permit {
    pub(crate) fence: Fence,
    pub(crate) holder: Holder,
}

/// Why the guard turns a permit away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Reason {
    Stale,
    NotOpen,
    Conflict,
    Closed,
    /// Only to openings: what the guard minted is unclosed and valid.
    Busy,
}

/// One call of a function in Postgres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Call {
    /// `fence.open`, or `fence.open_next` where the permit's fence is [`NEXT`].
    Open,
    /// `fence.close`.
    Close,
    /// `credit.charge`.
    Charge(Request),
    /// `credit.charge_once`.
    Once(Request),
}

/// What a call comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Answer {
    /// Opened now, or found open: this is the fence.
    Opened(Fence),
    /// Closed now, or before.
    Closed,
    /// There is an entry with this request id.
    Applied,
    /// Another request has paid for it: `charge_once` only.
    Paid,
    /// The mark that it was judged by is told with it: the floor for healing.
    Refused(Reason, Fence),
    /// 40001: nothing has changed, call again.
    Again,
}
