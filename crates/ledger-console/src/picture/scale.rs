//! From moments to places.
//!
//! Time runs to the right, and lengths are true to it with two exceptions, without which a lease of a
//! second beside a query of a millisecond could not be drawn: two things that happen one after the other
//! keep a distance that tells them apart, and a stretch in which nothing happens is cut short, with a
//! visible break.

use super::Moment;

/// What two neighbours keep apart, in per cent of the width, as far as there is room.
const APART: f64 = 4.6;
/// What the distances may take together, in per cent; the rest is shared out by time.
const APART_TOGETHER: f64 = 88.0;
/// A stretch is long when it is longer than this many times all the shorter ones together.
const LONG: u64 = 2;

/// A rule that gives every moment its place, in per cent of the width.
#[derive(Debug)]
pub(crate) struct Scale {
    /// Moments in their order, each with its place; both grow.
    points: Vec<(Moment, f64)>,
    breaks: Vec<Break>,
}

/// A stretch that is cut short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Break {
    /// Where its sign stands, in per cent.
    pub(crate) place: f64,
    /// How long it really is, in microseconds.
    pub(crate) micros: u64,
}

impl Scale {
    /// The scale on which each of these moments has its own place.
    pub(crate) fn of(mut moments: Vec<Moment>) -> Scale {
        moments.sort_unstable();
        moments.dedup();
        let gaps: Vec<u64> = moments
            .windows(2)
            .map(|pair| pair[1].since(pair[0]))
            .collect();
        let longest = longest_uncut(&gaps);
        let cut = |gap: u64| gap.min(longest) as f64;
        let total: f64 = gaps.iter().copied().map(cut).sum();
        let apart = APART.min(APART_TOGETHER / gaps.len().max(1) as f64);
        let shared = 100.0 - apart * gaps.len() as f64;
        let mut scale = Scale {
            points: Vec::with_capacity(moments.len()),
            breaks: Vec::new(),
        };
        let mut place = 0.0;
        for (index, &moment) in moments.iter().enumerate() {
            scale.points.push((moment, place));
            let Some(&gap) = gaps.get(index) else { break };
            let width = apart + shared * cut(gap) / total.max(1.0);
            if gap > longest {
                scale.breaks.push(Break {
                    place: place + width / 2.0,
                    micros: gap,
                });
            }
            place += width;
        }
        scale
    }

    /// The place of a moment, from 0 to 100.
    pub(crate) fn place(&self, moment: Moment) -> f64 {
        let after = self.points.partition_point(|&(at, _)| at < moment);
        let before = after
            .checked_sub(1)
            .and_then(|before| self.points.get(before));
        match (before, self.points.get(after)) {
            (_, Some(&(at, place))) if at == moment => place,
            (Some(&(from, left)), Some(&(to, right))) => {
                let share = moment.since(from) as f64 / to.since(from).max(1) as f64;
                left + (right - left) * share
            }
            (Some(&(_, last)), None) => last,
            (None, _) => 0.0,
        }
    }

    pub(crate) fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    /// Moments at least `apart` per cent from each other, the first among them, to be named on the axis.
    pub(crate) fn named(&self, apart: f64) -> Vec<(Moment, f64)> {
        let mut named: Vec<(Moment, f64)> = Vec::new();
        for &(moment, place) in &self.points {
            if named.last().is_none_or(|&(_, last)| place - last >= apart) {
                named.push((moment, place));
            }
        }
        named
    }
}

/// The longest gap that is drawn whole: of the longer half, the last one before the first that is longer
/// than `LONG` times all shorter ones together.
fn longest_uncut(gaps: &[u64]) -> u64 {
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable();
    let mut shorter = 0_u64;
    for (index, &gap) in sorted.iter().enumerate() {
        let is_long = shorter > 0 && gap > shorter.saturating_mul(LONG);
        if is_long && index >= sorted.len() / 2 {
            // Still the longest stretch of the picture, so that nobody takes it for a short one.
            return (shorter / LONG).max(sorted[index - 1]);
        }
        shorter = shorter.saturating_add(gap);
    }
    sorted.last().copied().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moments(micros: &[i64]) -> Vec<Moment> {
        micros.iter().copied().map(Moment::from_micros).collect()
    }

    #[test]
    fn an_idle_stretch_is_cut_short_and_says_how_long_it_is() {
        let scale = Scale::of(moments(&[0, 10, 20, 30, 1_000_030, 1_000_040]));
        assert_eq!(scale.breaks().len(), 1);
        assert_eq!(scale.breaks()[0].micros, 1_000_000);
        let [before, after] = [30, 1_000_030].map(|at| scale.place(Moment::from_micros(at)));
        assert!(after - before < 60.0, "{before} to {after}");
    }

    #[test]
    fn even_stretches_are_true_to_time_and_have_no_break() {
        let scale = Scale::of(moments(&[0, 100, 200, 300, 400]));
        assert!(scale.breaks().is_empty());
        let places = [0, 50, 100, 400].map(|at| scale.place(Moment::from_micros(at)).round());
        assert_eq!(places, [0.0, 13.0, 25.0, 100.0]);
    }

    proptest! {
        /// Whatever happens when, what is later lies further to the right, inside the picture, told apart.
        #[test]
        fn later_is_further_to_the_right(micros in prop::collection::vec(any::<i64>(), 0..60)) {
            let scale = Scale::of(moments(&micros));
            let mut sorted = micros.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let places: Vec<f64> = moments(&sorted).into_iter().map(|at| scale.place(at)).collect();
            prop_assert!(places.iter().all(|place| (0.0..=100.001).contains(place)), "{places:?}");
            let least = APART.min(APART_TOGETHER / 60.0) - 1e-6;
            prop_assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= least), "{places:?}");
        }

        /// Also between the moments that have a place of their own.
        #[test]
        fn every_moment_has_a_place(micros in prop::collection::vec(any::<i64>(), 0..9), other in any::<i64>()) {
            let place = Scale::of(moments(&micros)).place(Moment::from_micros(other));
            prop_assert!((0.0..=100.001).contains(&place), "{place}");
        }
    }
}
