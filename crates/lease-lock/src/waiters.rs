//! The waiters of one client.
//!
//! Nobody asks Redis while a lease is held. But a lease can end without a word: its holder is gone,
//! or the waiter that was woken. So per resource *one* waiter of a client looks when the time that
//! Redis last told is over. All others rely on it, and look after it only when it has gone.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use fence::Resource;
use tokio::sync::Notify;

use crate::wakes::RESERVED;

/// How long a client that is not first in the queue leaves the look to the one that is.
const GRACE: Duration = RESERVED;

/// Everybody of this client who waits.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    entered: u64,
    all: HashMap<u64, Waiter>,
    watches: HashMap<Resource, Watch>,
}

#[derive(Debug)]
struct Waiter {
    resource: Resource,
    signal: Arc<Signal>,
}

/// What is known of one lease.
#[derive(Debug)]
struct Watch {
    /// When the lease ends, as Redis last told it.
    ends: Instant,
    /// This client's look comes first.
    first: bool,
    /// Who waits for it, without those that were woken.
    waiters: BTreeSet<u64>,
}

/// How a waiter is told.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    told: Notify,
    turn: AtomicBool,
}

/// When to do what, if nothing is heard before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alarm {
    pub(crate) at: Instant,
    /// Ask Redis then; otherwise ask for the next alarm.
    pub(crate) look: bool,
}

impl Signal {
    /// Waits until something has changed. Says whether to ask Redis now.
    pub(crate) async fn told(&self) -> bool {
        self.told.notified().await;
        self.turn.swap(false, SeqCst)
    }

    fn ask_now(&self) {
        self.turn.store(true, SeqCst);
        self.told.notify_one();
    }
}

impl Waiters {
    pub(crate) fn enter(&mut self, resource: &Resource) -> (u64, Arc<Signal>) {
        self.entered += 1;
        let (number, signal) = (self.entered, Arc::new(Signal::default()));
        let waiter = Waiter {
            resource: resource.clone(),
            signal: signal.clone(),
        };
        self.all.insert(number, waiter);
        self.watch_mut(resource).waiters.insert(number);
        (number, signal)
    }

    pub(crate) fn leave(&mut self, number: u64) {
        let Some(waiter) = self.all.remove(&number) else {
            return;
        };
        if let Some(watch) = self.watches.get_mut(&waiter.resource) {
            watch.waiters.remove(&number);
            if watch.waiters.is_empty() {
                self.watches.remove(&waiter.resource);
            }
        }
    }

    pub(crate) fn learned(&mut self, resource: &Resource, ends: Instant, first: bool) {
        if let Some(watch) = self.watches.get_mut(resource) {
            (watch.ends, watch.first) = (ends, first);
        }
    }

    pub(crate) fn alarm(&mut self, number: u64) -> Alarm {
        let Some(waiter) = self.all.get(&number) else {
            unreachable!("a waiter asks only while it waits")
        };
        let resource = waiter.resource.clone();
        let watch = self.watch_mut(&resource);
        watch.waiters.insert(number); // it may have been woken, and have to wait again
        match watch.waiters.first() == Some(&number) {
            true if watch.first => Alarm {
                at: watch.ends,
                look: true,
            },
            true => Alarm {
                at: watch.ends + GRACE,
                look: true,
            },
            false => Alarm {
                at: (watch.ends + GRACE).max(Instant::now()) + GRACE,
                look: false,
            },
        }
    }

    /// It is this waiter's turn; `false` if it has gone.
    pub(crate) fn wake(&mut self, number: u64) -> bool {
        let Some(waiter) = self.all.get(&number) else {
            return false;
        };
        waiter.signal.ask_now();
        let resource = waiter.resource.clone();
        // Should its task hang, the next one of this client sees to it.
        self.watch_mut(&resource).waiters.remove(&number);
        self.watch(&resource, RESERVED);
        true
    }

    /// This lease is to be looked at in `after`.
    pub(crate) fn watch(&mut self, resource: &Resource, after: Duration) {
        self.learned(resource, Instant::now() + after, true);
        self.rearm_first(resource);
    }

    /// Everybody asks Redis, and so gets a place in the queue again.
    pub(crate) fn wake_all(&mut self) {
        for waiter in self.all.values() {
            waiter.signal.ask_now();
        }
    }

    fn rearm_first(&self, resource: &Resource) {
        let watch = self.watches.get(resource);
        if let Some(first) = watch.and_then(|watch| watch.waiters.first()) {
            self.all[first].signal.told.notify_one();
        }
    }

    fn watch_mut(&mut self, resource: &Resource) -> &mut Watch {
        let fresh = || Watch {
            ends: Instant::now(),
            first: false,
            waiters: BTreeSet::new(),
        };
        self.watches.entry(resource.clone()).or_insert_with(fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn two() -> (Waiters, Resource, u64, u64) {
        let (mut waiters, resource) = (Waiters::default(), "r".parse().unwrap());
        let (first, _) = waiters.enter(&resource);
        let (second, _) = waiters.enter(&resource);
        (waiters, resource, first, second)
    }

    #[test]
    fn one_waiter_of_a_client_looks_at_the_end_of_a_lease_and_the_next_one_when_it_has_gone() {
        let (mut waiters, resource, first, second) = two();
        let ends = Instant::now() + HOUR;
        waiters.learned(&resource, ends, true);
        assert!(waiters.alarm(first).look && waiters.alarm(first).at == ends);
        assert!(!waiters.alarm(second).look && waiters.alarm(second).at > ends);
        waiters.leave(first);
        assert!(waiters.alarm(second).look);
    }

    #[test]
    fn a_client_that_is_behind_another_leaves_it_the_first_look() {
        let (mut waiters, resource, first, _) = two();
        let ends = Instant::now() + HOUR;
        waiters.learned(&resource, ends, false);
        assert_eq!(waiters.alarm(first).at, ends + GRACE);
    }

    #[test]
    fn a_waiter_that_was_woken_is_watched_over_by_the_next_one() {
        let (mut waiters, resource, first, second) = two();
        waiters.learned(&resource, Instant::now() + HOUR, true);
        assert!(waiters.wake(first));
        let alarm = waiters.alarm(second);
        assert!(alarm.look && alarm.at <= Instant::now() + RESERVED);
    }

    #[test]
    fn nothing_is_left_of_waiters_that_have_gone() {
        let (mut waiters, _, first, second) = two();
        assert!(waiters.wake(first));
        waiters.leave(first);
        waiters.leave(second);
        assert!(!waiters.wake(first));
        assert!(waiters.all.is_empty() && waiters.watches.is_empty());
    }
}
