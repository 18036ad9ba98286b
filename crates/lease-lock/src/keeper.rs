//! The task that renews the kept leases of one client.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fence::Permit;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::error::RenewError;
use crate::script::RENEW;
use crate::trust::Trust;
use crate::{LeaseLock, Ttl, renew};

/// A lease is renewed when a third of its TTL has passed, so that two more beats may fail.
const BEATS_PER_TTL: u32 = 3;

/// A failed beat is repeated after a thirtieth of the TTL, which is many times before it ends.
const TRIES_PER_TTL: u32 = 30;

/// One task per client, which starts with the first lease that is kept.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    charges: Mutex<Option<UnboundedSender<Charge>>>,
}

/// A lease to be renewed. It ends when nobody reads its trust any more.
#[derive(Debug)]
pub(crate) struct Charge {
    pub(crate) lock: LeaseLock,
    pub(crate) permit: Permit,
    pub(crate) ttl: Ttl,
    pub(crate) trust: watch::Sender<Trust>,
    /// No renewal reaches beyond this.
    pub(crate) end: Instant,
}

impl Keeper {
    pub(crate) fn keep(&self, charge: Charge, runtime: &Handle) {
        let mut charges = self.charges.lock().unwrap_or_else(PoisonError::into_inner);
        // The task ends with the runtime, and should it ever end otherwise, it starts anew.
        if charges.as_ref().is_none_or(UnboundedSender::is_closed) {
            let (sender, receiver) = unbounded_channel();
            runtime.spawn(run(receiver));
            *charges = Some(sender);
        }
        if let Some(charges) = &*charges {
            // Where the runtime has shut down there is no task: the lease ends with its TTL.
            let _ = charges.send(charge);
        }
    }
}

/// All leases side by side in one task: the trouble of one never delays another.
async fn run(mut charges: UnboundedReceiver<Charge>) {
    let mut kept: FuturesUnordered<BoxFuture<'static, ()>> = FuturesUnordered::new();
    loop {
        tokio::select! {
            charge = charges.recv() => match charge {
                Some(charge) => kept.push(Box::pin(charge.keep())),
                None => return, // the client is gone, and with it all of its leases
            },
            Some(()) = kept.next() => {}
        }
    }
}

impl Charge {
    /// Renews until the lease is dropped, lost, or has reached its longest time.
    async fn keep(self) {
        let mut pause = self.ttl.as_duration() / BEATS_PER_TTL;
        loop {
            tokio::select! {
                () = self.trust.closed() => return,
                () = sleep(pause) => {}
            }
            // What was lost once stays lost: its holder may have been told.
            let left = self.trust.borrow().left();
            let Some(ttl) = self.next_ttl().filter(|_| !left.is_zero()) else {
                return;
            };
            let beat = tokio::select! {
                () = self.trust.closed() => return,
                beat = timeout(left, self.renew(ttl)) => beat,
            };
            pause = match beat {
                Ok(Ok(())) => self.ttl.as_duration() / BEATS_PER_TTL,
                Ok(Err(RenewError::Unknown(error))) => self.missed(&error),
                Ok(Err(gone)) => return self.lost(&gone),
                Err(elapsed) => return self.lost(&elapsed),
            };
        }
    }

    /// The whole TTL, or what is left until the longest time; `None` once that is in force.
    fn next_ttl(&self) -> Option<Ttl> {
        let left = self.end.saturating_duration_since(Instant::now());
        let whole_ms = Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        match left >= self.ttl.as_duration() {
            true => Some(self.ttl),
            false => Ttl::try_from(whole_ms).ok().filter(|_| {
                self.trust.borrow().left() + self.ttl.as_duration() / TRIES_PER_TTL < left
            }),
        }
    }

    async fn renew(&self, ttl: Ttl) -> Result<(), RenewError> {
        let renewed = Trust::starting(Instant::now(), ttl.as_duration());
        self.trust
            .send_modify(|trust| *trust = (*trust).min(renewed));
        let prefix = self.lock.prefix();
        let cmd = renew::command(prefix, &self.permit, ttl);
        let reply = self.lock.call(&RENEW, &cmd).await;
        renew::read(prefix, &self.permit, reply.map_err(RenewError::Unknown)?)?;
        self.trust.send_if_modified(|trust| {
            let in_time = !trust.is_over();
            if in_time {
                *trust = renewed;
            }
            in_time
        });
        Ok(())
    }

    /// Says how long to pause before the next try.
    fn missed(&self, error: &(dyn std::error::Error + 'static)) -> Duration {
        tracing::warn!(
            error,
            fence.permit = %self.permit,
            lease.remaining_ms = self.trust.borrow().left().as_millis(),
            "missed a beat, and goes on while the lease is trusted"
        );
        self.ttl.as_duration() / TRIES_PER_TTL
    }

    fn lost(&self, error: &(dyn std::error::Error + 'static)) {
        self.trust.send_replace(Trust::over());
        tracing::warn!(
            error,
            fence.permit = %self.permit,
            "a kept lease is lost"
        );
    }
}
