//! What a holder holds.

use std::time::{Duration, Instant};

use fence::{Fence, Floor, Holder, Permit, Resource};
use tracing::{Span, field, instrument};

use crate::error::{AcquireError, Lost, ReleaseError, RemintError, RenewError};
use crate::kept::Kept;
use crate::release::Released;
use crate::script::RENEW;
use crate::trust::Trust;
use crate::{LeaseLock, Ttl, acquire, renew};

/// A lease that was granted: a fence, and a time to trust it for.
///
/// A lease that is dropped is given back in the background, by one release that nobody waits for:
/// best effort, since the process may end first. It never touches a lease that another acquisition
/// has got since. Call [`release`](Lease::release) to know how it went.
#[derive(Debug)]
#[must_use = "a lease that is dropped is given back"]
pub struct Lease {
    lock: LeaseLock,
    permit: Permit,
    /// What was asked for last.
    ttl: Ttl,
    trust: Trust,
    /// Redis has said that it no longer has this lease: there is nothing to give back.
    ended: bool,
}

impl Lease {
    pub(crate) fn new(lock: LeaseLock, permit: Permit, ttl: Ttl, trust: Trust) -> Lease {
        Lease {
            lock,
            permit,
            ttl,
            trust,
            ended: false,
        }
    }

    /// The number of this acquisition.
    pub fn fence(&self) -> Fence {
        self.permit.fence()
    }

    /// Whose acquisition it is.
    pub fn holder(&self) -> Holder {
        self.permit.holder()
    }

    /// What it protects.
    pub fn resource(&self) -> &Resource {
        self.permit.resource()
    }

    /// The TTL that was asked for last, by the attempt or by a renewal.
    pub fn ttl(&self) -> Ttl {
        self.ttl
    }

    /// What to carry to the guard, as long as the lease is trusted.
    ///
    /// Ask again after every wait: whoever wakes from a pause sees here, first thing, that the lease
    /// is lost. A permit in hand stays as it is, and the guard is what makes a late one harmless.
    ///
    /// # Errors
    /// [`Lost`] once the trusted time is over.
    pub fn permit(&self) -> Result<Permit, Lost> {
        match self.trust.is_over() {
            false => Ok(self.permit.clone()),
            true => Err(Lost {
                resource: self.resource().clone(),
                fence: self.fence(),
                ago: self.trust.over_for(),
            }),
        }
    }

    /// How long the lease can still be trusted; zero once it is lost.
    ///
    /// Counted on the monotonic clock from *before* the request was sent, less 1 % and 2 ms (the
    /// drift margin of Redlock's clients). So it ends before Redis can grant the lease to another,
    /// as long as both clocks run: on Linux this clock stands still while the machine is suspended,
    /// and a suspended holder wakes with time left that is over for everybody else. That costs a
    /// refused write, never a wrong one: safety rests on the guard and not on any clock.
    pub fn remaining(&self) -> Duration {
        self.trust.left()
    }

    /// Returns when the lease is lost: at once if it already is.
    ///
    /// It waits for the end of the trusted time, on a timer that is made only here. Dropping it
    /// and calling it again loses nothing.
    pub async fn lost(&self) {
        // A timer may fire early, and it has a longest time: look at the clock again each time.
        loop {
            match self.trust.left() {
                Duration::ZERO => return,
                left => tokio::time::sleep(left).await,
            }
        }
    }

    /// Replaces what is left of the lease by `ttl`, counted from now: it is never added to it, and a
    /// shorter `ttl` shortens the lease.
    ///
    /// A lease that Redis no longer has is never taken again. One that is lost here but still ours
    /// in Redis becomes trusted again: its value proves that nobody held the resource in between.
    ///
    /// # Errors
    /// [`RenewError`]. After [`RenewError::Unknown`], and after this future was dropped, the shorter
    /// of the old and the new time is trusted, because either may be in force.
    #[instrument(name = "lease_lock.renew", skip_all, fields(
        fence.resource = %self.resource(),
        fence.holder = %self.holder(),
        fence.number = self.fence().get(),
        lease.ttl_ms = ttl.as_millis(),
    ))]
    pub async fn renew(&mut self, ttl: Ttl) -> Result<(), RenewError> {
        let renewed = Trust::starting(Instant::now(), ttl.as_duration());
        self.trust = self.trust.min(renewed);
        let cmd = renew::command(self.lock.prefix(), &self.permit, ttl);
        let reply = self.lock.call(&RENEW, &cmd).await;
        let reply = reply.map_err(RenewError::Unknown)?;
        match renew::read(self.lock.prefix(), &self.permit, reply) {
            Ok(()) => (self.trust, self.ttl) = (renewed, ttl),
            Err(unknown @ RenewError::Unknown(_)) => return Err(unknown),
            Err(gone) => {
                self.end();
                return Err(gone);
            }
        }
        match self.trust.is_over() {
            false => Ok(()),
            true => Err(RenewError::TooLate {
                resource: self.resource().clone(),
            }),
        }
    }

    /// Has the lease renewed until it is released, dropped or lost, for `max_hold` from now at most.
    ///
    /// A hold without an end is how a stuck worker blocks a resource for ever; choose a time after
    /// which the work is certainly wrong. It is also the `valid_for` of the guard's opening.
    #[must_use = "a lease that is dropped is given back"]
    pub fn keep(mut self, max_hold: Duration) -> Kept {
        // From here on the kept lease gives it back, and not the drop of this one.
        self.ended = true;
        Kept::new(
            self.lock.clone(),
            self.permit.clone(),
            self.ttl,
            self.trust,
            max_hold,
        )
    }

    /// Mints a fence above `floor` into this lease, and returns it. The lease keeps its time.
    ///
    /// For a holder whom the guard has told that its fence is stale although the lease is fresh:
    /// Redis has lost numbers, and the guard's mark is the floor. A fence that is above the floor
    /// already stays as it is, so reminting again after a lost reply is safe.
    ///
    /// # Errors
    /// [`RemintError`]. The lease is never taken again if it is gone.
    #[instrument(name = "lease_lock.remint", skip_all, fields(
        fence.resource = %self.resource(),
        fence.holder = %self.holder(),
        fence.floor = floor.get(),
        fence.number = field::Empty,
    ))]
    pub async fn remint(&mut self, floor: Floor) -> Result<Fence, RemintError> {
        let sent = Instant::now();
        let request = acquire::Request {
            prefix: self.lock.prefix(),
            resource: self.permit.resource(),
            holder: self.permit.holder(),
            ttl: None,
            floor: Some(floor),
            place: None,
        };
        let reply = self.lock.ask(&request).await?;
        let resource = self.resource().clone();
        if reply.word() == "expired" {
            self.end();
            return Err(RemintError::Expired { resource });
        }
        match request.read(reply) {
            Ok(grant) => {
                Span::current().record("fence.number", grant.fence.get());
                self.permit = Permit::new(resource, grant.fence, self.holder());
                self.trust = Trust::starting(sent, grant.left);
                Ok(grant.fence)
            }
            Err(AcquireError::Held { by, .. }) => {
                self.end();
                Err(RemintError::TakenOver { resource, by })
            }
            Err(error) => Err(RemintError::NotMinted(error)),
        }
    }

    /// Gives the lease back, and says how that went. Only a lease that is still ours is deleted.
    ///
    /// [`Released::Expired`] and [`Released::TakenOver`] say that the work outlived its lease.
    ///
    /// # Errors
    /// [`ReleaseError`]. When the reply is lost, or this future is dropped before it is done, one
    /// more release is sent in the background.
    #[instrument(name = "lease_lock.release", skip_all, fields(
        fence.resource = %self.resource(),
        fence.holder = %self.holder(),
        fence.number = self.fence().get(),
    ))]
    pub async fn release(mut self) -> Result<Released, ReleaseError> {
        let released = self.lock.release(&self.permit).await;
        if !matches!(released, Err(ReleaseError::Unknown(_))) {
            self.end();
        }
        released
    }

    /// Notes that Redis no longer has this lease.
    fn end(&mut self) {
        self.trust = Trust::over();
        self.ended = true;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.ended {
            self.lock.release_in_background(self.permit.clone());
        }
    }
}
