//! The task that sends: at most one call for many charges on its way, and beside it those that go alone.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fence_guard::StoreError;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{self, JoinSet};

use super::{CoalesceOptions, Message, Waiting};
use crate::answer::Applied;
use crate::ledger::Ledger;
use crate::names::Account;

/// What the task keeps. A charge is in exactly one place: ready, in flight, or in its account's lane.
pub(super) struct Dispatch {
    ledger: Ledger,
    options: CoalesceOptions,
    /// Every charge in here holds a part of it, to the moment of its answer.
    room: Arc<Semaphore>,
    /// For the next call, in the order of their coming.
    ready: VecDeque<Waiting>,
    /// Accounts of which a charge has to go alone: what comes for them waits behind it.
    lanes: HashMap<Account, Lane>,
    /// Lanes of which nothing is on its way.
    idle_lanes: VecDeque<Account>,
    /// Whose charge a task sends alone.
    on_their_way: HashMap<task::Id, Account>,
    is_finishing: bool,
}

#[derive(Default)]
struct Lane {
    alone: VecDeque<Waiting>,
    behind: VecDeque<Waiting>,
}

/// What came back.
type Together = (Vec<Waiting>, Result<Vec<Option<Applied>>, StoreError>);

impl Dispatch {
    pub(super) fn new(ledger: Ledger, options: CoalesceOptions, room: Arc<Semaphore>) -> Dispatch {
        // One connection is left for what goes together.
        let connections = ledger.store.pool().options().get_max_connections();
        let spare = (connections as usize).saturating_sub(1).max(1);
        Dispatch {
            ledger,
            options: options.with_alone(options.alone.min(spare)),
            room,
            ready: VecDeque::new(),
            lanes: HashMap::new(),
            idle_lanes: VecDeque::new(),
            on_their_way: HashMap::new(),
            is_finishing: false,
        }
    }

    pub(super) async fn run(mut self, mut arriving: UnboundedReceiver<Message>) {
        let mut together: JoinSet<Together> = JoinSet::new();
        let mut alone: JoinSet<()> = JoinSet::new();
        let mut is_open = true;
        loop {
            // Whatever has come by now is part of the next call.
            while let Ok(message) = arriving.try_recv() {
                self.take(message);
            }
            if together.is_empty() {
                self.start_together(&mut together);
            }
            self.start_alone(&mut alone);
            if self.is_finishing && self.room.available_permits() == self.options.capacity {
                return;
            }
            tokio::select! {
                message = arriving.recv(), if is_open => match message {
                    Some(message) => self.take(message),
                    // Nobody has the front any more.
                    None => (is_open, self.is_finishing) = (false, true),
                },
                Some(done) = together.join_next() => {
                    // What panicked has dropped its charges: their callers hear that nobody knows.
                    if let Ok((charges, outcomes)) = done {
                        self.answer(charges, outcomes);
                    }
                }
                Some(done) = alone.join_next_with_id() => {
                    let id = done.map_or_else(|panicked| panicked.id(), |(id, ())| id);
                    if let Some(account) = self.on_their_way.remove(&id) {
                        self.go_on(account);
                    }
                }
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Finish => self.is_finishing = true,
            Message::Charge(waiting) => match self.lanes.get_mut(&waiting.charge.account) {
                Some(lane) => lane.behind.push_back(waiting),
                None => self.ready.push_back(waiting),
            },
        }
    }

    fn start_together(&mut self, together: &mut JoinSet<Together>) {
        let count = self.ready.len().min(self.options.together);
        let mut charges: Vec<Waiting> = self.ready.drain(..count).collect();
        // Nothing was sent for a caller that is gone by now.
        charges.retain(|waiting| !waiting.reply.is_closed());
        if charges.is_empty() {
            return;
        }
        let ledger = self.ledger.clone();
        together.spawn(async move {
            let outcomes = ledger.charge_together(&charges).await;
            (charges, outcomes)
        });
    }

    fn answer(
        &mut self,
        charges: Vec<Waiting>,
        outcomes: Result<Vec<Option<Applied>>, StoreError>,
    ) {
        let outcomes = outcomes.unwrap_or_else(|error| {
            // Each under its own request id, so whatever became of them is found, and nothing is applied twice.
            tracing::warn!(error = %error, credit.charges = charges.len(), "charges go alone");
            vec![None; charges.len()]
        });
        for (waiting, outcome) in charges.into_iter().zip(outcomes) {
            match outcome {
                Some(applied) => answer(waiting, Ok(applied)),
                None => self.send_alone(waiting),
            }
        }
        let (behind, ready) = std::mem::take(&mut self.ready)
            .into_iter()
            .partition(|waiting| self.lanes.contains_key(&waiting.charge.account));
        self.ready = ready;
        let behind: VecDeque<Waiting> = behind;
        for waiting in behind {
            let lane = self.lanes.entry(waiting.charge.account.clone());
            lane.or_default().behind.push_back(waiting);
        }
    }

    fn send_alone(&mut self, waiting: Waiting) {
        let account = waiting.charge.account.clone();
        if !self.lanes.contains_key(&account) {
            self.idle_lanes.push_back(account.clone());
        }
        self.lanes
            .entry(account)
            .or_default()
            .alone
            .push_back(waiting);
    }

    fn start_alone(&mut self, alone: &mut JoinSet<()>) {
        while alone.len() < self.options.alone {
            let Some(account) = self.idle_lanes.pop_front() else {
                return;
            };
            let waiting = self
                .lanes
                .get_mut(&account)
                .and_then(|lane| lane.alone.pop_front());
            let Some(waiting) = waiting else {
                continue;
            };
            let ledger = self.ledger.clone();
            let task = alone.spawn(async move {
                let outcome = ledger.charge_under(&waiting.permit, &waiting.charge).await;
                answer(waiting, outcome);
            });
            self.on_their_way.insert(task.id(), account);
        }
    }

    /// A charge of this account was answered alone: the next one goes, or those behind are ready again.
    fn go_on(&mut self, account: Account) {
        let has_more = |lane: &Lane| !lane.alone.is_empty();
        if self.lanes.get(&account).is_some_and(has_more) {
            self.idle_lanes.push_back(account);
        } else if let Some(lane) = self.lanes.remove(&account) {
            self.ready.extend(lane.behind);
        }
    }
}

/// Gives its caller the answer, and its room to the next; a caller that is gone needs none.
fn answer(waiting: Waiting, outcome: Result<Applied, crate::error::Error>) {
    let _ = waiting.reply.send(outcome);
}
