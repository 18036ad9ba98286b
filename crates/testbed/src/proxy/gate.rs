//! One direction of the proxy: open or held.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// A gate that every connection passes in one direction.
#[derive(Debug)]
pub(super) struct Gate {
    held: watch::Sender<bool>,
    /// Something waits before it.
    keeps_back: watch::Sender<bool>,
    delay: watch::Sender<Duration>,
    trap: Mutex<Option<Trap>>,
}

/// Closes the gate when this text comes by in one piece.
#[derive(Debug, Clone, Copy)]
struct Trap {
    text: &'static str,
    /// Lets the text itself through.
    after: bool,
}

/// What a sprung trap leaves to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Passed {
    /// Nothing.
    Plainly,
    /// To hold the gate once the bytes are through.
    AsTheLast,
}

impl Gate {
    pub(super) fn open() -> Gate {
        Gate {
            held: watch::Sender::new(false),
            keeps_back: watch::Sender::new(false),
            delay: watch::Sender::new(Duration::ZERO),
            trap: Mutex::new(None),
        }
    }

    pub(super) fn hold(&self) {
        self.held.send_replace(true);
    }

    pub(super) fn hold_from(&self, text: &'static str) {
        self.set_trap(Trap { text, after: false });
    }

    pub(super) fn hold_after(&self, text: &'static str) {
        self.set_trap(Trap { text, after: true });
    }

    pub(super) fn pass(&self) {
        self.keeps_back.send_replace(false);
        self.held.send_replace(false);
    }

    pub(super) fn set_delay(&self, delay: Duration) {
        self.delay.send_replace(delay);
    }

    /// Waits until the gate is held.
    pub(super) async fn held(&self) {
        until(&self.held, true).await;
    }

    /// Waits until something waits before the gate.
    pub(super) async fn kept_back(&self) {
        until(&self.keeps_back, true).await;
    }

    /// Returns when `bytes` may pass.
    pub(super) async fn passage(&self, bytes: &[u8]) -> Passed {
        let trap = self.sprung_by(bytes);
        if trap.is_some_and(|trap| !trap.after) {
            self.hold();
        }
        if *self.held.borrow() {
            self.keeps_back.send_replace(true);
            until(&self.held, false).await;
        }
        let delay = *self.delay.borrow();
        // Even a sleep of no time costs a turn of the timer.
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        match trap {
            Some(Trap { after: true, .. }) => Passed::AsTheLast,
            _ => Passed::Plainly,
        }
    }

    fn set_trap(&self, trap: Trap) {
        *self.trap.lock().unwrap_or_else(PoisonError::into_inner) = Some(trap);
    }

    /// Takes the trap, if this springs it.
    fn sprung_by(&self, bytes: &[u8]) -> Option<Trap> {
        let mut trap = self.trap.lock().unwrap_or_else(PoisonError::into_inner);
        let text = (*trap)?.text.as_bytes();
        let holds = bytes.windows(text.len()).any(|window| window == text);
        if holds { trap.take() } else { None }
    }
}

async fn until(switch: &watch::Sender<bool>, wanted: bool) {
    // It fails when the sender is gone, and the sender is borrowed here.
    let _ = switch.subscribe().wait_for(|is| *is == wanted).await;
}
