//! A front for one process: charges that come at once are sent together.

use std::sync::Arc;

use fence::Permit;
use fence_guard::OpenPermit;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tracing::instrument;

use crate::answer::Applied;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::requests::Charge;

mod dispatch;
mod together;

/// How a [`Coalescer`] goes about it. The default: 1024 charges at most in it, 64 together, 4 alone at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoalesceOptions {
    capacity: usize,
    together: usize,
    alone: usize,
}

/// Sends charges together that come at once, and each caller gets its own answer. Cloning is cheap, and shares it.
///
/// It is one call and one commit for many charges (`credit.charge_together`), which waits for nobody. While it is on
/// its way, what comes is gathered for the next; nobody is made to wait for company. Whatever somebody else has locked,
/// what the guard refuses, and what an account does not allow or cover is sent again alone, as by [`Ledger::charge`]: so
/// no charge waits for another's resource or account, and refusals are recorded once, by the call that tells of them.
///
/// Charges of one account are applied in the order in which [`charge`](Coalescer::charge) was called for them.
///
/// Its pool needs a connection for what is sent together, and one more for each that is sent alone
/// ([`CoalesceOptions::with_alone`]); with fewer, what waits alone for a lock keeps the others waiting, too.
#[derive(Debug, Clone)]
pub struct Coalescer {
    queue: UnboundedSender<Message>,
    room: Arc<Semaphore>,
    running: watch::Receiver<()>,
}

/// What the callers tell the task that sends.
#[derive(Debug)]
enum Message {
    Charge(Waiting),
    /// No charge comes after those that hold room now.
    Finish,
}

/// A charge, and who waits for its answer.
#[derive(Debug)]
struct Waiting {
    /// Of an opening: the type says so where it came in.
    permit: Permit,
    charge: Charge,
    reply: oneshot::Sender<Result<Applied, Error>>,
    _room: OwnedSemaphorePermit,
}

impl Default for CoalesceOptions {
    fn default() -> CoalesceOptions {
        CoalesceOptions {
            capacity: 1024,
            together: 64,
            alone: 4,
        }
    }
}

impl CoalesceOptions {
    /// With room for so many charges, at least one; who comes to a full one waits for room.
    pub fn with_capacity(self, charges: usize) -> CoalesceOptions {
        CoalesceOptions {
            capacity: charges.clamp(1, Semaphore::MAX_PERMITS),
            ..self
        }
    }

    /// With at most so many charges in one call, 1 to 256.
    pub fn with_together(self, charges: usize) -> CoalesceOptions {
        CoalesceOptions {
            together: charges.clamp(1, 256),
            ..self
        }
    }

    /// With at most so many charges on their way alone, at least one. Two of one account never are.
    pub fn with_alone(self, charges: usize) -> CoalesceOptions {
        CoalesceOptions {
            alone: charges.max(1),
            ..self
        }
    }
}

impl Ledger {
    /// A front that sends charges of this process together. It is a task of the runtime that this is called in.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn coalescer(&self, options: CoalesceOptions) -> Coalescer {
        let (queue, arriving) = unbounded_channel();
        let (end, running) = watch::channel(());
        let room = Arc::new(Semaphore::new(options.capacity));
        let dispatch = dispatch::Dispatch::new(self.clone(), options, room.clone());
        tokio::spawn(async move {
            dispatch.run(arriving).await;
            drop(end);
        });
        Coalescer {
            queue,
            room,
            running,
        }
    }
}

impl Coalescer {
    /// Charges, as [`Ledger::charge`] does.
    ///
    /// Waits for room first, and nothing is sent before there is. A caller that is dropped later may have charged: it
    /// sends the same request id again to learn it.
    ///
    /// # Errors
    /// As [`Ledger::charge`]; [`Error::Finished`], and nothing was sent, after [`finish`](Coalescer::finish).
    #[instrument(name = "credit_ledger.coalesced_charge", skip_all, err(level = "debug"), fields(
        fence.resource = %open.permit().resource(), fence.presented = open.permit().fence().get(),
        credit.request = %charge.request, credit.amount = charge.amount.get()))]
    pub async fn charge(&self, open: &OpenPermit, charge: &Charge) -> Result<Applied, Error> {
        let room = self.room.clone().acquire_owned().await;
        let (reply, answer) = oneshot::channel();
        let waiting = Waiting {
            permit: open.permit().clone(),
            charge: charge.clone(),
            reply,
            _room: room.map_err(|_closed| Error::Finished)?,
        };
        if self.queue.send(Message::Charge(waiting)).is_err() {
            return Err(Error::Finished);
        }
        // The task answers everything that it has sent; it can only have been torn down with its runtime.
        let lost = |_| Error::from(sqlx::Error::WorkerCrashed);
        answer.await.map_err(lost)?
    }

    /// Takes no more charges, and returns when everyone has an answer. The last step before a process ends: what is
    /// dropped with the runtime instead is *unknown*.
    pub async fn finish(&self) {
        self.room.close();
        // It is gone already where somebody has finished before.
        let _ = self.queue.send(Message::Finish);
        let mut running = self.running.clone();
        while running.changed().await.is_ok() {}
    }
}
