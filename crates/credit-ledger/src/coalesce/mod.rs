//! A front for one process: charges that come at once are sent together.

use std::sync::{Arc, Mutex, PoisonError};

use fence::Permit;
use fence_guard::OpenPermit;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::Instant;
use tracing::instrument;

use crate::answer::Applied;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::names::Account;
use crate::requests::Charge;

mod dispatch;
mod figures;
mod options;
mod seats;
mod together;

pub use figures::CoalesceFigures;
pub use options::CoalesceOptions;

use seats::{Seat, Seats};

/// Sends charges together that come at once, and each caller gets its own answer. Cloning is cheap, and shares it.
///
/// It is one call and one commit for many charges (`credit.charge_together`), which waits for no lock. While it is on
/// its way, what comes is gathered for the next; nobody is made to wait for company. Whatever somebody else has locked,
/// what the guard refuses, and what an account does not allow or cover is sent again alone, as by [`Ledger::charge`]: so
/// refusals are recorded once, by the call that tells of them.
///
/// Charges of one account are applied in the order in which their calls of [`charge`](Coalescer::charge) were polled for
/// the first time; calls that several threads begin at once have none. What comes behind one that goes alone waits for it.
///
/// What two accounts, or two resources, share is room ([`CoalesceOptions::with_capacity`], of which one account has its
/// part), and connections: what goes alone has all of the pool's but one, which is kept for what goes together. While so
/// many wait for locks, the next that has to go alone waits for one of them. So the pool has two connections or more,
/// and nobody else takes them all.
#[derive(Debug, Clone)]
pub struct Coalescer {
    door: Arc<Mutex<Door>>,
    room: Arc<Semaphore>,
    seats: Arc<Seats>,
    running: watch::Receiver<CoalesceFigures>,
}

/// Where charges go in. Once it is closed, none comes after the message that says so.
#[derive(Debug)]
struct Door {
    queue: UnboundedSender<Message>,
    is_closed: bool,
}

/// What the callers tell the task that sends.
#[derive(Debug)]
enum Message {
    Charge(Waiting),
    /// A caller of some charge of this account has gone.
    Gone(Account),
    /// The last message.
    Finish,
}

/// A charge, and who waits for its answer.
#[derive(Debug)]
struct Waiting {
    /// Of an opening: the type says so where it came in.
    permit: Permit,
    charge: Charge,
    since: Instant,
    /// Its reply was lost with that of a common call: from then on nobody may say that nothing was written.
    is_unknown: bool,
    reply: oneshot::Sender<Result<Applied, Error>>,
    /// Freed with it.
    _seat: Seat,
}

impl Ledger {
    /// A front that sends charges of this process together. It is a task of the runtime that this is called in.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn coalescer(&self, options: CoalesceOptions) -> Coalescer {
        let (queue, arriving) = unbounded_channel();
        let (figures, running) = watch::channel(CoalesceFigures::default());
        let dispatch = dispatch::Dispatch::new(self.clone(), options, figures);
        tokio::spawn(dispatch.run(arriving));
        let door = Door {
            queue,
            is_closed: false,
        };
        Coalescer {
            door: Arc::new(Mutex::new(door)),
            room: Arc::new(Semaphore::new(options.capacity)),
            seats: Arc::new(Seats::new(options.of_an_account)),
            running,
        }
    }
}

impl Coalescer {
    /// Charges, as [`Ledger::charge`] does.
    ///
    /// Waits for room first, and nothing is sent before there is. A caller that is dropped while its charge waits is
    /// forgotten; one that is dropped later may have charged, and sends the same request id again to learn it. One that
    /// waits for room and is not polled keeps others of its account waiting: poll it, or drop it.
    ///
    /// # Errors
    /// As [`Ledger::charge`]. [`Error::Overdue`], and nothing was written, where it has waited in here for some ten
    /// seconds and is not on its way. Once it is, it waits for each lock for ten seconds at the most, as by
    /// [`Ledger::charge`]. [`Error::Finished`], and nothing was sent, after [`finish`](Coalescer::finish).
    #[instrument(name = "credit_ledger.coalesced_charge", skip_all, err(level = "debug"), fields(
        fence.resource = %open.permit().resource(), fence.presented = open.permit().fence().get(),
        credit.request = %charge.request, credit.amount = charge.amount.get()))]
    pub async fn charge(&self, open: &OpenPermit, charge: &Charge) -> Result<Applied, Error> {
        let (reply, answer) = oneshot::channel();
        // Held until the charge is through the door, so that nobody of the same account passes.
        let turn = self.seats.turn(&charge.account).await;
        let seat = turn.seat(&self.room).await.ok_or(Error::Finished)?;
        self.go_in(Waiting {
            permit: open.permit().clone(),
            charge: charge.clone(),
            since: Instant::now(),
            is_unknown: false,
            reply,
            _seat: seat,
        })?;
        drop(turn);
        let mut caller = Caller {
            answer,
            door: &self.door,
            account: &charge.account,
        };
        // The task answers everything that it has sent; it can only have been torn down with its runtime.
        let lost = |_| Error::from(sqlx::Error::WorkerCrashed);
        (&mut caller.answer).await.map_err(lost)?
    }

    /// Takes no more charges, and returns when everyone has an answer: as soon as what is on its way alone, or was sent
    /// within the next ten seconds, has its locks or has given up. The last step before a process ends: what is dropped
    /// with the runtime instead is *unknown*.
    pub async fn finish(&self) {
        self.close();
        let mut running = self.running.clone();
        while running.changed().await.is_ok() {}
    }

    /// How much waits in it now, and what it has sent so far.
    pub fn figures(&self) -> CoalesceFigures {
        *self.running.borrow()
    }

    fn go_in(&self, waiting: Waiting) -> Result<(), Error> {
        let door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        if door.is_closed {
            return Err(Error::Finished);
        }
        let sent = door.queue.send(Message::Charge(waiting));
        sent.map_err(|_| Error::Finished)
    }

    fn close(&self) {
        let mut door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut door.is_closed, true) {
            // Gone already with its runtime, at worst.
            let _ = door.queue.send(Message::Finish);
        }
        drop(door);
        self.room.close();
        self.seats.close();
    }
}

/// A caller that waits for its answer, and tells when it gives that up.
struct Caller<'c> {
    answer: oneshot::Receiver<Result<Applied, Error>>,
    door: &'c Mutex<Door>,
    account: &'c Account,
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        if !self.answer.is_terminated() {
            self.answer.close();
            let door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = door.queue.send(Message::Gone(self.account.clone()));
        }
    }
}
