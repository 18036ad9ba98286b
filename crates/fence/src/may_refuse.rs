//! How an error of any crate says that it is a refusal.

use crate::Refusal;

/// An error that may be a refusal by a guard, and tells it from everything else.
///
/// Whoever heals a lease whose numbers were lost (`fenced-section`) has to know whether the guard has
/// turned a call away and what mark it saw, whatever crate the call belongs to. Everything that is no
/// refusal, above all an unknown outcome, is `None`: it must never be healed by calling again under a
/// higher fence.
pub trait MayRefuse {
    /// The refusal, if this error is one. Then nothing was written.
    fn refusal(&self) -> Option<&Refusal>;
}

impl MayRefuse for Refusal {
    fn refusal(&self) -> Option<&Refusal> {
        Some(self)
    }
}
