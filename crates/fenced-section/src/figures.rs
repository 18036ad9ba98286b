//! Everything that is counted, for the summary and for whatever metrics recorder is installed.
//!
//! Labels are words of a fixed set. A resource's name is never one: there are millions of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fence::Reason;
use lease_lock::Ttl;
use metrics::{counter, histogram};

use crate::Summary;
use crate::ratio::RatioCounts;

/// The counts of one [`Sections`](crate::Sections) and its clones.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    entered: AtomicU64,
    left: AtomicU64,
    overruns: AtomicU64,
    takeovers: AtomicU64,
    refusals: AtomicU64,
    healed: AtomicU64,
    unknown: AtomicU64,
    unfenced: AtomicU64,
    hold: RatioCounts,
}

impl Figures {
    /// `by` is `lease`, `guard`, `resolve` or `once`.
    pub(crate) fn entered(&self, by: &'static str) {
        add(&self.entered);
        counter!("fenced_section.entered", "by" => by).increment(1);
    }

    pub(crate) fn left(&self, held_for: Duration, ttl: Ttl, overrun: bool) {
        add(&self.left);
        counter!("fenced_section.left").increment(1);
        histogram!("fenced_section.hold_ratio").record(self.hold.count(held_for, ttl));
        if overrun {
            add(&self.overruns);
            counter!("fenced_section.overruns").increment(1);
        }
    }

    pub(crate) fn takeover(&self) {
        add(&self.takeovers);
        counter!("fenced_section.takeovers").increment(1);
    }

    pub(crate) fn refused(&self, reason: Reason) {
        add(&self.refusals);
        counter!("fenced_section.refusals", "reason" => reason.as_str()).increment(1);
    }

    pub(crate) fn healed(&self) {
        add(&self.healed);
        counter!("fenced_section.healed").increment(1);
    }

    /// `server` is `redis` or `postgres`.
    pub(crate) fn unknown(&self, server: &'static str) {
        add(&self.unknown);
        counter!("fenced_section.unknown", "server" => server).increment(1);
    }

    pub(crate) fn unfenced(&self) {
        add(&self.unfenced);
        counter!("fenced_section.unfenced").increment(1);
    }

    pub(crate) fn summary(&self) -> Summary {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Summary {
            entered: read(&self.entered),
            left: read(&self.left),
            overruns: read(&self.overruns),
            takeovers: read(&self.takeovers),
            refusals: read(&self.refusals),
            healed: read(&self.healed),
            unknown: read(&self.unknown),
            unfenced: read(&self.unfenced),
            hold: self.hold.read(),
        }
    }
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}
