//! How long a query usually takes: what somebody who has to wait for one is told.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// So many of the last queries count.
const KEPT: usize = 32;
/// Nine of ten take no longer than what is called usual.
const IN_TEN: usize = 9;

/// How long the last queries of this instance took.
#[derive(Debug, Default)]
pub(crate) struct Usual(Mutex<VecDeque<Duration>>);

impl Usual {
    /// A query has come to an answer, and took so long.
    pub(crate) fn record(&self, took: Duration) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == KEPT {
            last.pop_front();
        }
        last.push_back(took);
    }

    /// When a query that is in flight is likely to be over; `otherwise` where none has ended here yet.
    pub(crate) fn time_or(&self, otherwise: Duration) -> Duration {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut times: Vec<_> = last.iter().copied().collect();
        times.sort_unstable();
        let rank = (times.len() * IN_TEN).div_ceil(10);
        rank.checked_sub(1).map_or(otherwise, |rank| times[rank])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn one_slow_query_of_ten_is_not_usual_and_two_are() {
        let usual = Usual::default();
        assert_eq!(usual.time_or(SECOND), SECOND);
        for time in [1, 2, 3, 4, 5, 6, 7, 8, 9, 600] {
            usual.record(time * SECOND);
        }
        assert_eq!(usual.time_or(SECOND), 9 * SECOND);
        usual.record(600 * SECOND);
        assert_eq!(usual.time_or(SECOND), 600 * SECOND);
    }

    #[test]
    fn what_was_usual_long_ago_is_forgotten() {
        let usual = Usual::default();
        for time in [600; KEPT].into_iter().chain([2; KEPT]) {
            usual.record(time * SECOND);
        }
        assert_eq!(usual.time_or(SECOND), 2 * SECOND);
    }
}
