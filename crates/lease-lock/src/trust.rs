//! Until when a holder may believe in its lease.

use std::time::{Duration, Instant};

/// The client's clock and the server's may differ in speed by this much.
const DRIFT_PER_CENT: u32 = 1;

/// Redis expires in whole milliseconds, and so does the timer that raises the loss.
const GRANULARITY: Duration = Duration::from_millis(2);

/// The moment up to which a lease is trusted, on this process' monotonic clock.
///
/// Trust starts *before* the request is sent. Redis starts to count when it executes the request, so
/// however long the reply takes, trust ends first. The margin for clocks of different speed, 1 % and
/// 2 ms, is that of the Redlock algorithm's clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Trust {
    until: Instant,
}

impl Trust {
    /// Trust in a lease that had `granted` to live when Redis executed a request sent at `sent`.
    pub(crate) fn starting(sent: Instant, granted: Duration) -> Trust {
        let margin = granted * DRIFT_PER_CENT / 100 + GRANULARITY;
        Trust {
            until: sent + granted.saturating_sub(margin),
        }
    }

    /// The same trust, but not for longer than until `end`.
    pub(crate) fn until(self, end: Instant) -> Trust {
        Trust {
            until: self.until.min(end),
        }
    }

    /// Trust that is over now.
    pub(crate) fn over() -> Trust {
        Trust {
            until: Instant::now(),
        }
    }

    /// How much is left; zero once it is over.
    pub(crate) fn left(self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// How long it has been over; zero while it is not.
    pub(crate) fn over_for(self) -> Duration {
        Instant::now().saturating_duration_since(self.until)
    }

    pub(crate) fn is_over(self) -> bool {
        self.left().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn trust_ends_one_per_cent_and_two_milliseconds_early() {
        let sent = Instant::now();
        for (granted, trusted) in [(30_000, 29_698), (100, 97), (3, 0), (1, 0), (0, 0)] {
            let trust = Trust::starting(sent, Duration::from_millis(granted));
            let whole_millis = (trust.until - sent).as_millis();
            assert_eq!(whole_millis, trusted, "granted {granted} ms");
        }
    }

    proptest! {
        /// With a client's clock that is slower than the server's by one in a hundred, the lease is still there when
        /// trust in it ends, whole milliseconds on both sides considered; and not much is spared for that.
        #[test]
        fn trust_ends_before_the_lease_on_a_clock_that_is_one_per_cent_slow(granted in prop_oneof![0..1_000_u64, 0..=1_u64 << 40]) {
            let granted = Duration::from_millis(granted);
            let sent = Instant::now();
            let trusted = Trust::starting(sent, granted).until - sent;
            let on_the_server = trusted + trusted / 100;
            prop_assert!(trusted.is_zero() || on_the_server + Duration::from_millis(1) <= granted);
            prop_assert!(granted - trusted <= granted / 100 + Duration::from_millis(2));
        }
    }
}
