//! How long sections lasted, measured by their own lease.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lease_lock::Ttl;

/// The upper bounds of the buckets of hold / TTL, in per cent, each included. One more bucket has
/// everything above. Above 100 is an overrun, unless the lease was renewed.
pub const HOLD_BOUNDS_PERCENT: [u32; 7] = [10, 25, 50, 75, 90, 100, 200];

/// How many sections lasted for which part of their TTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HoldRatios {
    /// Sections by bucket of [`HOLD_BOUNDS_PERCENT`]; the last one has everything above.
    pub sections: [u64; HOLD_BOUNDS_PERCENT.len() + 1],
}

/// The same, counted by many threads.
#[derive(Debug, Default)]
pub(crate) struct RatioCounts([AtomicU64; HOLD_BOUNDS_PERCENT.len() + 1]);

impl RatioCounts {
    /// Counts one section, and returns its ratio.
    pub(crate) fn count(&self, held_for: Duration, ttl: Ttl) -> f64 {
        let ratio = held_for.as_secs_f64() / ttl.as_duration().as_secs_f64();
        let bucket = HOLD_BOUNDS_PERCENT
            .iter()
            .position(|&bound| ratio * 100.0 <= f64::from(bound))
            .unwrap_or(HOLD_BOUNDS_PERCENT.len());
        self.0[bucket].fetch_add(1, Ordering::Relaxed);
        ratio
    }

    pub(crate) fn read(&self) -> HoldRatios {
        HoldRatios {
            sections: self.0.each_ref().map(|count| count.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket_and_everything_above_to_the_last() {
        let counts = RatioCounts::default();
        let ttl = Ttl::from_millis(1000).unwrap();
        for millis in [0, 100, 101, 1000, 1001, 2000, 2001, 1_000_000] {
            counts.count(Duration::from_millis(millis), ttl);
        }
        assert_eq!(counts.read().sections, [2, 1, 0, 0, 0, 1, 2, 2]);
    }
}
