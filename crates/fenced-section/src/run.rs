//! Work that ends with its lease.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use fence_guard::OpenPermit;

use crate::{Lost, Section};

impl Section {
    /// Runs work for as long as the section is trusted, and drops it when it is lost.
    ///
    /// Work that is dropped stops at its next `await`. What that does not reach: a thread that it blocks,
    /// tasks that it has spawned, a query that Postgres is already running (it may commit, and the guard
    /// judges it), and effects outside Postgres. Work that ends in the same instant has ended: its value
    /// is returned. The section stays, to be [left](Section::leave).
    ///
    /// # Errors
    /// [`Lost`] when the work was dropped, or never started.
    pub async fn run<'s, T, W>(&'s self, work: impl FnOnce(&'s OpenPermit) -> W) -> Result<T, Lost>
    where
        W: Future<Output = T>,
    {
        let open = self.open()?;
        let work = work(open);
        // A timer cannot fire while this very thread is blocked, so the clock itself is read, too.
        let is_over = poll_fn(|_| match self.remaining() {
            Duration::ZERO => Poll::Ready(()),
            _ => Poll::Pending,
        });
        tokio::select! {
            // The loss comes first: after a pause the work must not take another step.
            biased;
            () = is_over => {}
            () = self.lost() => {}
            value = work => return Ok(value),
        }
        Err(self.lost_since(self.hold.lost_for().unwrap_or_default()))
    }
}
