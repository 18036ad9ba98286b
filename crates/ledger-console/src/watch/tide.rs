//! How far rows have been shown that come in the order of their numbers, or not quite: a number is drawn before its row
//! is committed, so a lower one may appear after a higher one.

use std::collections::BTreeSet;

use fence_guard::Horizon;

/// Which numbers were shown, and up to which no other can come any more.
#[derive(Debug)]
pub(crate) struct Tide {
    /// At or below it nothing is in flight, and everything was shown.
    low: i64,
    /// What was shown above it.
    shown: BTreeSet<i64>,
    /// The next low: a number that was drawn, and which transactions have to end before it is.
    rising: Option<(i64, Vec<String>)>,
}

/// What became of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Some are in flight still.
    Up,
    /// Nothing at or below the low is.
    Settled,
    /// They are lower than they were: the database is an older one.
    Back,
}

impl Tide {
    /// Everything up to this number has been shown.
    pub(crate) fn after(low: i64) -> Tide {
        Tide {
            low,
            shown: BTreeSet::new(),
            rising: None,
        }
    }

    /// After which number rows have to be read.
    pub(crate) fn low(&self) -> i64 {
        self.low
    }

    /// Whether this one was not shown before; from now on it was.
    pub(crate) fn is_new(&mut self, seq: i64) -> bool {
        seq > self.low && self.shown.insert(seq)
    }

    /// Goes on from a horizon, when all rows were shown that a look after it found.
    pub(crate) fn settle(&mut self, horizon: Horizon) -> Turn {
        if horizon.last_seq < self.low {
            *self = Tide::after(horizon.last_seq);
            return Turn::Back;
        }
        let drawn = || (horizon.last_seq, horizon.in_flight.clone());
        let (seq, in_flight) = self.rising.take().unwrap_or_else(drawn);
        if !horizon.have_ended(&in_flight) {
            self.rising = Some((seq, in_flight));
            return Turn::Up;
        }
        self.low = seq;
        self.shown = self.shown.split_off(&(self.low + 1));
        self.rising = Some(drawn());
        Turn::Settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows that are drawn, committed and rolled back in any order, and looked at now and then.
    #[derive(Debug, Clone, Copy)]
    enum Step {
        Draw,
        Commit(usize),
        RollBack(usize),
        Look,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            Just(Step::Draw),
            (0_usize..8).prop_map(Step::Commit),
            (0_usize..8).prop_map(Step::RollBack),
            Just(Step::Look),
        ]
    }

    /// A server: each transaction draws one number, whose name it bears.
    #[derive(Default)]
    struct Server {
        last: i64,
        in_flight: Vec<i64>,
        committed: BTreeSet<i64>,
    }

    impl Server {
        fn horizon(&self) -> Horizon {
            let in_flight = self.in_flight.iter().map(i64::to_string).collect();
            Horizon::new(self.last, in_flight, true)
        }
    }

    fn look(server: &Server, tide: &mut Tide, shown: &mut Vec<i64>) {
        let (horizon, after) = (server.horizon(), tide.low());
        let rows = server.committed.range(after + 1..);
        shown.extend(rows.filter(|seq| tide.is_new(**seq)));
        tide.settle(horizon);
    }

    proptest! {
        #[test]
        fn every_row_that_commits_is_shown_once_in_whatever_order(steps in prop::collection::vec(step(), 0..60)) {
            let (mut server, mut tide, mut shown) = (Server::default(), Tide::after(0), Vec::new());
            for step in steps {
                match step {
                    Step::Draw => {
                        server.last += 1;
                        server.in_flight.push(server.last);
                    }
                    Step::Commit(which) | Step::RollBack(which) if which < server.in_flight.len() => {
                        let seq = server.in_flight.remove(which);
                        if matches!(step, Step::Commit(_)) {
                            server.committed.insert(seq);
                        }
                    }
                    Step::Look => look(&server, &mut tide, &mut shown),
                    _ => {}
                }
            }
            server.committed.extend(server.in_flight.drain(..));
            for _ in 0..3 {
                look(&server, &mut tide, &mut shown);
            }
            shown.sort_unstable();
            prop_assert_eq!(shown, Vec::from_iter(server.committed.iter().copied()));
            prop_assert_eq!(tide.low(), server.last, "what is settled is not read again");
        }
    }

    #[test]
    fn numbers_that_went_back_are_noticed_and_shown_again() {
        let mut tide = Tide::after(100);
        assert_eq!(tide.settle(Horizon::new(90, vec![], true)), Turn::Back);
        assert!(tide.is_new(91));
    }

    #[test]
    fn while_it_is_not_known_who_is_in_flight_nothing_settles() {
        let mut tide = Tide::after(0);
        assert_eq!(tide.settle(Horizon::new(7, vec![], false)), Turn::Up);
        assert_eq!(tide.low(), 0);
        assert_eq!(tide.settle(Horizon::new(8, vec![], true)), Turn::Settled);
        assert_eq!(tide.low(), 7);
    }

    #[test]
    fn who_comes_later_is_not_waited_for() {
        let mut tide = Tide::after(0);
        let in_flight = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            tide.settle(Horizon::new(1, in_flight(&["3/1"]), true)),
            Turn::Up
        );
        assert_eq!(
            tide.settle(Horizon::new(2, in_flight(&["3/1", "4/1"]), true)),
            Turn::Up
        );
        assert_eq!(
            tide.settle(Horizon::new(3, in_flight(&["4/1", "5/1"]), true)),
            Turn::Settled
        );
        assert_eq!(tide.low(), 1);
    }
}
