//! A process that stands still: whatever it was doing, it does not go on.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Stops work, and lets it go on.
#[derive(Clone, Default)]
pub(super) struct Freezer(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    frozen: bool,
    waiting: Option<Waker>,
}

/// Work that can be frozen. While it is, it is not polled: what Postgres answers stays unread, as in a process
/// that was sent SIGSTOP.
pub(super) struct Freezable<F> {
    work: Pin<Box<F>>,
    freezer: Freezer,
}

impl Freezer {
    pub(super) fn around<F>(&self, work: F) -> Freezable<F> {
        Freezable {
            work: Box::pin(work),
            freezer: self.clone(),
        }
    }

    /// From the next time on that the work would go on, it does not.
    pub(super) fn freeze(&self) {
        self.state().frozen = true;
    }

    pub(super) fn thaw(&self) {
        let waiting = {
            let mut state = self.state();
            state.frozen = false;
            state.waiting.take()
        };
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Future> Future for Freezable<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        {
            let mut state = self.freezer.state();
            if state.frozen {
                state.waiting = Some(context.waker().clone());
                return Poll::Pending;
            }
        }
        self.work.as_mut().poll(context)
    }
}
