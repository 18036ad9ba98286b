//! Work that ends with its lease.

use std::future::poll_fn;
use std::task::Poll;

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
        let over = || self.remaining().is_zero().then(|| self.lost_now());
        let lost = async {
            self.lost().await;
            self.lost_now()
        };
        until_lost(work(open), over, lost).await
    }
}

/// Awaits work until something is lost: a look at each step says so, or `lost` comes.
pub(crate) async fn until_lost<T>(
    work: impl Future<Output = T>,
    over: impl Fn() -> Option<Lost>,
    lost: impl Future<Output = Lost>,
) -> Result<T, Lost> {
    // A timer cannot fire while this very thread is blocked, so the clock itself is read, too.
    let over = poll_fn(|_| over().map_or(Poll::Pending, Poll::Ready));
    tokio::select! {
        // The loss comes first: after a pause the work must not take another step.
        biased;
        lost = over => Err(lost),
        lost = lost => Err(lost),
        value = work => Ok(value),
    }
}
