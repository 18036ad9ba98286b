//! Close, then release; bounded, and with a word on how it went.

use std::error::Error;
use std::fmt;
use std::mem;
use std::time::Duration;

use fence_guard::Closed;
use lease_lock::{ReleaseError, Released};
use tokio::time::timeout;
use tracing::instrument;

use crate::Section;
use crate::hold::Hold;

/// How a section was left.
#[derive(Debug)]
#[non_exhaustive]
pub struct Left {
    /// How the opening was closed. [`Closed::Overtaken`] says that another holder had opened by then:
    /// what was written under this section before that stands, nothing later was let in.
    pub closed: Result<Closed, NotDone<fence_guard::Error>>,
    /// How the lease was given back; `None` where the section had no lease.
    pub released: Result<Option<Released>, NotDone<ReleaseError>>,
    /// Whether the section outlived its lease, by its own clock or by what Redis said. Choose a longer
    /// TTL, or shorter work.
    pub overrun: bool,
    /// How long the section lasted, from the grant of its lease to the start of leaving.
    pub held_for: Duration,
}

/// Why a step of leaving was not done. Safety does not need it: the next opening is recorded as a
/// takeover, and a lease ends with its TTL.
#[derive(Debug, thiserror::Error)]
pub enum NotDone<E: Error + 'static> {
    /// It was answered with an error, or not at all.
    #[error(transparent)]
    Failed(E),
    /// It took longer than [`EnterOptions::leave_step`](crate::EnterOptions::leave_step).
    #[error("no answer within {} ms, it may still be done", .within.as_millis())]
    TimedOut {
        /// The bound.
        within: Duration,
    },
}

impl Section {
    /// Closes the opening, then gives the lease back. Each of the two steps is bounded by
    /// [`EnterOptions::leave_step`](crate::EnterOptions::leave_step), and the second is done also where
    /// the first failed: the next holder need not wait for the TTL.
    ///
    /// It never fails: what went wrong stands in the answer. When this future is dropped, the section
    /// is left in the background.
    #[instrument(name = "fenced_section.leave", skip_all, fields(
        fence.resource = %self.resource(),
        fence.number = self.fence().get(),
    ))]
    pub async fn leave(mut self) -> Left {
        let (left_ms, held_for) = (self.hold.left_ms(), self.since.elapsed());
        // The hold stays where it is until this is over: whoever drops the future meanwhile drops both.
        let close = self.sections.guard.close(&self.open, left_ms);
        let closed = bounded(self.leave_step, close).await;
        let hold = mem::replace(&mut self.hold, Hold::GivenBack);
        let released = bounded(self.leave_step, hold.release()).await;

        let gone = matches!(
            released,
            Ok(Some(Released::Expired | Released::TakenOver { .. }))
        );
        let left = Left {
            closed,
            released,
            overrun: left_ms < 0 || gone,
            held_for,
        };
        self.sections.figures.left(held_for, self.ttl, left.overrun);
        if let Ok(Closed::Overtaken(refusal)) = &left.closed {
            self.sections.figures.refused(refusal.reason());
        }
        left
    }
}

impl Left {
    /// Whether everything was as it should be: closed, given back, and in time.
    pub fn is_clean(&self) -> bool {
        !self.overrun && matches!(self.closed, Ok(Closed::Closed)) && self.released.is_ok()
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.closed {
            Ok(Closed::Overtaken(refusal)) => write!(f, "overtaken by fence {}", refusal.mark())?,
            Ok(_) => f.write_str("closed")?,
            Err(error) => write!(f, "not closed ({error})")?,
        }
        match &self.released {
            Ok(Some(Released::Released)) => f.write_str(", released")?,
            Ok(Some(Released::Expired)) => f.write_str(", the lease had expired")?,
            Ok(Some(Released::TakenOver { by })) => write!(f, ", the lease was taken under {by}")?,
            Ok(None) => f.write_str(", without a lease")?,
            Err(error) => write!(f, ", not released ({error})")?,
        }
        f.write_str(match self.overrun {
            true => ": overrun",
            false => ": in time",
        })
    }
}

pub(crate) async fn bounded<T, E: Error + 'static>(
    within: Duration,
    step: impl Future<Output = Result<T, E>>,
) -> Result<T, NotDone<E>> {
    match timeout(within, step).await {
        Ok(answer) => answer.map_err(NotDone::Failed),
        Err(_) => Err(NotDone::TimedOut { within }),
    }
}
