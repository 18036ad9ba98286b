//! The task that sends: at most one call for many charges on its way, and beside it those that go alone.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::Duration;

use fence_guard::StoreError;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::{self, JoinSet};
use tokio::time::MissedTickBehavior;

use super::{CoalesceFigures, CoalesceOptions, Message, Waiting};
use crate::answer::Applied;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::names::Account;

/// How long a charge waits in here, as for each lock (`fence.arm`).
const WAIT: Duration = Duration::from_secs(10);
/// How often somebody looks whether it has.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What the task keeps. A charge is in exactly one place: ready, in flight, or in its account's lane.
pub(super) struct Dispatch {
    ledger: Ledger,
    options: CoalesceOptions,
    /// For the next call, in the order of their coming.
    ready: VecDeque<Waiting>,
    /// Accounts of which a charge goes alone: the first of its lane, or one that is on its way. What comes for them is
    /// behind it, and ready again when that is answered.
    lanes: HashMap<Account, VecDeque<Waiting>>,
    /// Lanes of which nothing is on its way, in their order.
    idle_lanes: VecDeque<Account>,
    /// Whose charge a task sends alone.
    on_their_way: HashMap<task::Id, Account>,
    /// The callers see it; its end is the task's.
    figures: watch::Sender<CoalesceFigures>,
    is_finishing: bool,
}

/// What came back of the charges that went together.
type Together = (Vec<Waiting>, Result<Vec<Option<Applied>>, StoreError>);

impl Dispatch {
    pub(super) fn new(
        ledger: Ledger,
        options: CoalesceOptions,
        figures: watch::Sender<CoalesceFigures>,
    ) -> Dispatch {
        // One connection is left for what goes together.
        let connections = ledger.store.pool().options().get_max_connections() as usize;
        let spare = connections.saturating_sub(1).max(1);
        Dispatch {
            ledger,
            options: options.with_alone(options.alone.min(spare)),
            ready: VecDeque::new(),
            lanes: HashMap::new(),
            idle_lanes: VecDeque::new(),
            on_their_way: HashMap::new(),
            figures,
            is_finishing: false,
        }
    }

    pub(super) async fn run(mut self, mut arriving: UnboundedReceiver<Message>) {
        let mut together: JoinSet<Together> = JoinSet::new();
        let mut alone: JoinSet<()> = JoinSet::new();
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Whatever has come by now is part of the next call.
            while let Ok(message) = arriving.try_recv() {
                self.take(message);
            }
            if together.is_empty() {
                self.start_together(&mut together);
            }
            self.start_alone(&mut alone);
            self.tell(alone.len());
            if self.is_finishing && together.is_empty() && alone.is_empty() {
                // Nothing is ready or idle either, or it would have been started.
                return;
            }
            tokio::select! {
                message = arriving.recv(), if !self.is_finishing => {
                    // None: nobody has the front any more.
                    self.take(message.unwrap_or(Message::Finish));
                }
                Some(done) = together.join_next() => {
                    // What panicked has dropped its charges: their callers hear that nobody knows.
                    if let Ok((charges, outcomes)) = done {
                        self.answer(charges, outcomes);
                    }
                }
                Some(done) = alone.join_next_with_id() => {
                    let id = done.map_or_else(|panicked| panicked.id(), |(id, ())| id);
                    if let Some(account) = self.on_their_way.remove(&id) {
                        self.ready.extend(self.lanes.remove(&account).unwrap_or_default());
                        // What has waited for one that waited for a lock to the end does not wait for that lock anew.
                        self.drop_overdue();
                    }
                }
                // Nothing tells it; and nobody looks while nothing waits.
                _ = look.tick(), if !(self.ready.is_empty() && self.lanes.is_empty()) => {
                    self.drop_overdue();
                }
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Finish => self.is_finishing = true,
            Message::Gone(account) => {
                let waits = |waiting: &Waiting| !waiting.reply.is_closed();
                if let Some(lane) = self.lanes.get_mut(&account) {
                    lane.retain(waits);
                }
                self.ready.retain(waits);
            }
            Message::Charge(waiting) => match self.lanes.get_mut(&waiting.charge.account) {
                Some(lane) => lane.push_back(waiting),
                None => self.ready.push_back(waiting),
            },
        }
    }

    fn start_together(&mut self, together: &mut JoinSet<Together>) {
        // Nothing is sent for a caller that is gone by now.
        self.ready.retain(|waiting| !waiting.reply.is_closed());
        if self.ready.is_empty() {
            return;
        }
        let count = self.ready.len().min(self.options.together);
        let charges: Vec<Waiting> = self.ready.drain(..count).collect();
        let ledger = self.ledger.clone();
        together.spawn(async move {
            let outcomes = ledger.charge_together(&charges).await;
            (charges, outcomes)
        });
        self.figures.send_modify(|figures| figures.calls += 1);
    }

    fn answer(
        &mut self,
        charges: Vec<Waiting>,
        outcomes: Result<Vec<Option<Applied>>, StoreError>,
    ) {
        let is_unknown = matches!(outcomes, Err(StoreError::Unknown(_)));
        let outcomes = outcomes.unwrap_or_else(|error| {
            // Each under its own request id, so whatever became of them is found, and nothing is applied twice.
            tracing::warn!(error = %error, credit.charges = charges.len(), "charges go alone");
            vec![None; charges.len()]
        });
        let applied = outcomes.iter().flatten().count();
        for (mut waiting, outcome) in charges.into_iter().zip(outcomes) {
            waiting.is_unknown |= is_unknown;
            match outcome {
                Some(applied) => answer(waiting, Ok(applied)),
                None if waiting.reply.is_closed() => {}
                None => self.send_alone(waiting),
            }
        }
        // What came meanwhile is behind those.
        let (behind, ready) = std::mem::take(&mut self.ready)
            .into_iter()
            .partition(|waiting| self.lanes.contains_key(&waiting.charge.account));
        self.ready = ready;
        VecDeque::into_iter(behind).for_each(|waiting| self.send_alone(waiting));
        self.figures
            .send_modify(|figures| figures.answered_together += applied as u64);
    }

    fn send_alone(&mut self, waiting: Waiting) {
        let account = waiting.charge.account.clone();
        if !self.lanes.contains_key(&account) {
            self.idle_lanes.push_back(account.clone());
        }
        self.lanes.entry(account).or_default().push_back(waiting);
    }

    fn start_alone(&mut self, alone: &mut JoinSet<()>) {
        while alone.len() < self.options.alone {
            let Some(account) = self.idle_lanes.pop_front() else {
                return;
            };
            let lane = self.lanes.entry(account.clone()).or_default();
            lane.retain(|waiting| !waiting.reply.is_closed());
            let Some(waiting) = lane.pop_front() else {
                // Its callers have gone.
                self.lanes.remove(&account);
                continue;
            };
            let ledger = self.ledger.clone();
            let task = alone.spawn(async move {
                let outcome = ledger.charge_under(&waiting.permit, &waiting.charge).await;
                answer(waiting, outcome);
            });
            self.on_their_way.insert(task.id(), account);
            self.figures.send_modify(|figures| figures.sent_alone += 1);
        }
    }

    /// Gives up what has waited in here for as long as it would have waited for a lock.
    fn drop_overdue(&mut self) {
        for queue in self.lanes.values_mut().chain([&mut self.ready]) {
            let (overdue, kept) = std::mem::take(queue)
                .into_iter()
                .partition(|waiting| waiting.since.elapsed() >= WAIT);
            *queue = kept;
            for waiting in VecDeque::into_iter(overdue) {
                answer(waiting, Err(Error::Overdue));
            }
        }
    }

    fn tell(&self, alone: usize) {
        let (ready, in_lanes) = (
            self.ready.len(),
            self.lanes.values().map(VecDeque::len).sum(),
        );
        self.figures.send_if_modified(|figures| {
            let before = (figures.ready, figures.in_lanes, figures.alone);
            (figures.ready, figures.in_lanes, figures.alone) = (ready, in_lanes, alone);
            before != (ready, in_lanes, alone)
        });
    }
}

/// Gives its caller the answer, and its room to the next; a caller that is gone needs none.
fn answer(waiting: Waiting, outcome: Result<Applied, Error>) {
    let outcome = match outcome {
        Err(error) if waiting.is_unknown => Err(still_unknown(error)),
        outcome => outcome,
    };
    let _ = waiting.reply.send(outcome);
}

/// What is left of an error where an earlier call, whose fate nobody knows, may have charged, or may yet: it may lie unread
/// before a backend, and find the account otherwise than this one did. Only the guard's refusal is an end for both, and an
/// entry under the same request id.
fn still_unknown(error: Error) -> Error {
    match error {
        Error::Refused(_) | Error::Mismatch { .. } | Error::Store(StoreError::Unknown(_)) => error,
        Error::Store(StoreError::Failed(error)) => StoreError::Unknown(error).into(),
        error => StoreError::Unknown(io::Error::other(error).into()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_account_answers_is_no_end_of_an_earlier_call_that_may_yet_be_run() {
        let poor = Error::InsufficientCredit {
            balance: 0,
            held: 0,
        };
        let failed = Error::from(StoreError::Failed(sqlx::Error::PoolTimedOut));
        for error in [
            poor,
            Error::FrozenAccount,
            Error::UnknownAccount,
            Error::Overdue,
            failed,
        ] {
            let left = still_unknown(error);
            assert!(
                matches!(left, Error::Store(StoreError::Unknown(_))),
                "{left:?}"
            );
        }
    }
}
