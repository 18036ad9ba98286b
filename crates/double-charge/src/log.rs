//! What happened in a cell, in the order in which the conductor learned of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::wire::Event;

/// An entry of a cell's log.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Entry {
    /// Since the cell began; `at_ms` is the same in whole milliseconds.
    #[serde(skip)]
    pub(crate) at: Duration,
    /// Milliseconds since the cell began.
    pub(crate) at_ms: u64,
    /// A, B or C: whom it happened to.
    pub(crate) holder: char,
    /// That worker's process.
    pub(crate) pid: i32,
    /// What happened.
    #[serde(flatten)]
    pub(crate) event: Event,
    /// The same in words.
    pub(crate) text: String,
}

/// The log of one cell. Cloning shares it.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    began: Instant,
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Log {
    pub(crate) fn new() -> Log {
        Log {
            began: Instant::now(),
            entries: Arc::default(),
        }
    }

    pub(crate) fn add(&self, holder: char, pid: i32, event: Event) {
        let text = event.to_string();
        let mut entries = self.lock();
        // Read under the lock, so that the order of the log is the order of its times.
        let at = self.began.elapsed();
        let at_ms = at.as_millis().try_into().unwrap_or(u64::MAX);
        entries.push(Entry {
            at,
            at_ms,
            holder,
            pid,
            event,
            text,
        });
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The most processes that were between "acquired" and "released" at one time.
pub(crate) fn holders_at_once(entries: &[Entry]) -> usize {
    let mut inside = Vec::new();
    let mut most = 0;
    for entry in entries {
        match entry.event {
            Event::Acquired { .. } => inside.push(entry.holder),
            Event::Released { .. } => inside.retain(|&holder| holder != entry.holder),
            _ => {}
        }
        most = most.max(inside.len());
    }
    most
}

/// How many charges were answered from an earlier one with the same request id.
pub(crate) fn replayed(entries: &[Entry]) -> u64 {
    entries
        .iter()
        .filter(|entry| matches!(entry.event, Event::Replayed { .. }))
        .count() as u64
}
