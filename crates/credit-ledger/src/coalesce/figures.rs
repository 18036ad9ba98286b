//! What a front tells of itself.

/// What waits in a [`Coalescer`](crate::Coalescer) at a moment, and what it has sent since it was made. Callers that wait
/// for room, and what is on its way together, are in none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CoalesceFigures {
    /// Charges for the next call.
    pub ready: usize,
    /// Charges that go alone, and those behind them.
    pub in_lanes: usize,
    /// Charges that are on their way alone.
    pub alone: usize,
    /// Calls that were sent with charges together.
    pub calls: u64,
    /// Charges that were answered by these.
    pub answered_together: u64,
    /// Charges that were sent alone.
    pub sent_alone: u64,
}
