//! What can happen next.

use crate::client::Act;
use crate::faults::Fault;

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// A session takes its next step.
    Step(usize),
    /// A client acts.
    Client(Act),
    /// Something fails, ends, or is forgotten.
    Fault(Fault),
}
