//! One place in the queue, from entering until it is served or given up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::sleep_until;

use crate::acquire::{self, Request};
use crate::error::AcquireError;
use crate::leave::Leaver;
use crate::reply::Reply;
use crate::waiters::Signal;
use crate::{Attempt, Lease, LeaseLock, Ttl};

/// Between two tries of a waiter that nobody answers.
const PAUSE: Duration = Duration::from_millis(50);

/// One waiter. Dropping it takes it out of the queue.
pub(crate) struct Place<'a> {
    lock: &'a LeaseLock,
    attempt: &'a Attempt,
    number: u64,
    /// As Redis knows it.
    waiter: String,
    signal: Arc<Signal>,
    /// Redis may have this waiter in the queue.
    queued: bool,
    /// A request is under way.
    asking: bool,
}

/// How long Redis has not answered a waiter.
#[derive(Debug, Default)]
struct Silence {
    since: Option<Instant>,
    tries: u32,
}

impl<'a> Place<'a> {
    pub(crate) fn new(lock: &'a LeaseLock, attempt: &'a Attempt) -> Place<'a> {
        let (number, signal) = lock.wakes().enter(attempt.resource());
        Place {
            lock,
            attempt,
            number,
            waiter: lock.wakes().name(number, attempt.resource()),
            signal,
            queued: false,
            asking: false,
        }
    }

    /// Waits for the lease until the deadline.
    pub(crate) async fn wait(mut self, deadline: Instant) -> Result<Lease, AcquireError> {
        let mut silence = Silence::default();
        loop {
            let asked = Instant::now();
            match self
                .listen_and_ask(deadline.saturating_duration_since(asked))
                .await
            {
                Ok(Some(lease)) => return Ok(lease),
                Ok(None) => silence = Silence::default(),
                // A cut connection says nothing about Redis, nor does one that is being replaced by one to
                // another node; and the attempt may be sent again.
                Err(AcquireError::Unknown(error))
                    if (error.is_connection_dropped() || error.is_timeout())
                        && silence.may_last(asked, self.lock.silence()) =>
                {
                    silence.pause(deadline).await;
                    continue;
                }
                Err(error) => return Err(error),
            }
            self.until_turn(deadline).await;
        }
    }

    /// In a Cluster, what was listened to may be gone since the last time.
    async fn listen_and_ask(&mut self, left: Duration) -> Result<Option<Lease>, AcquireError> {
        let listens = self.lock.listen(self.attempt.resource()).await;
        listens.map_err(AcquireError::Unknown)?;
        self.ask(left).await
    }

    /// Asks for the lease, and for a place where it is not to be had: `None`. With no time left it
    /// asks for the last time, and leaves the queue with the same request.
    async fn ask(&mut self, left: Duration) -> Result<Option<Lease>, AcquireError> {
        let wait_ms = Ttl::try_from(left).map_or(0, Ttl::as_millis);
        let request = Request {
            place: Some(acquire::Place {
                waiter: &self.waiter,
                wait_ms,
            }),
            ..self.lock.request(self.attempt)
        };
        self.queued = true;
        self.asking = true;
        let sent = Instant::now();
        let reply = self.lock.ask(&request).await;
        self.asking = false;
        let reply = reply?;
        if reply.word() == "queued" {
            self.note(&reply);
            return Ok(None);
        }
        let granted = self.lock.granted(self.attempt, sent, request.read(reply));
        // What is wrong with the counter is wrong for the next one, too, but that is for it to see.
        let is_out = |error: &AcquireError| {
            error.is_contention() || matches!(error, AcquireError::TooLate { .. })
        };
        self.queued = granted.as_ref().is_err_and(|error| !is_out(error));
        if let Ok(lease) = &granted {
            let ends = sent + lease.ttl().as_duration();
            self.lock.wakes().learned(lease.resource(), ends, true);
        }
        granted.map(Some)
    }

    fn note(&self, reply: &Reply) {
        // Redis counts in whole milliseconds: a look that is one too early would find it held.
        let ends = Instant::now() + reply.millis(1) + Duration::from_millis(1);
        let first = reply.text(2) == "first";
        self.lock
            .wakes()
            .learned(self.attempt.resource(), ends, first);
    }

    /// Waits for whatever makes it worth asking again.
    async fn until_turn(&self, deadline: Instant) {
        loop {
            let alarm = self.lock.wakes().alarm(self.number);
            tokio::select! {
                now = self.signal.told() => if now { return },
                () = sleep_until(alarm.at.min(deadline).into()) => {
                    if alarm.look || Instant::now() >= deadline {
                        return;
                    }
                }
            }
        }
    }
}

impl Silence {
    /// Counts a try that nobody answered. Says whether to try again: the second try always, later ones
    /// while the silence is shorter than `longest`.
    fn may_last(&mut self, asked: Instant, longest: Duration) -> bool {
        self.tries += 1;
        let since = *self.since.get_or_insert(asked);
        self.tries == 1 || since.elapsed() < longest
    }

    /// A connection that is refused is refused at once. The second try waits for nothing.
    async fn pause(&self, deadline: Instant) {
        if self.tries > 1 {
            sleep_until((Instant::now() + PAUSE).min(deadline).into()).await;
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.lock.wakes().leave(self.number);
        if self.queued {
            self.lock.leave_in_background(Leaver {
                resource: self.attempt.resource().clone(),
                waiter: std::mem::take(&mut self.waiter),
                unread: self.asking.then(|| self.attempt.holder()),
            });
        }
    }
}
