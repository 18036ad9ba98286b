//! A lease that is renewed for its holder.

use std::time::{Duration, Instant};

use fence::{Fence, Holder, Permit, Resource};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::instrument;

use crate::error::{Lost, ReleaseError};
use crate::keeper::Charge;
use crate::release::Released;
use crate::trust::Trust;
use crate::{LeaseLock, Ttl};

/// A lease that is renewed at each third of its TTL, for a longest time; see
/// [`Lease::keep`](crate::Lease::keep).
///
/// One task per client renews all of them. It stops with the lease, whether that is released or
/// dropped, and it renews nothing but this acquisition: never the next lease of the same name. When
/// Redis does not answer it goes on trying while the lease is trusted. What is lost stays lost.
#[derive(Debug)]
#[must_use = "a lease that is dropped is given back"]
pub struct Kept {
    lock: LeaseLock,
    permit: Permit,
    /// The keeper renews while this is open.
    trust: watch::Receiver<Trust>,
    given_back: bool,
}

impl Kept {
    pub(crate) fn new(
        lock: LeaseLock,
        permit: Permit,
        ttl: Ttl,
        trust: Trust,
        max_hold: Duration,
    ) -> Kept {
        let end = Instant::now() + max_hold.min(Ttl::MAX.as_duration());
        let (sender, trust) = watch::channel(trust.until(end));
        let charge = Charge {
            lock: lock.clone(),
            permit: permit.clone(),
            ttl,
            trust: sender,
            end,
        };
        lock.keeper().keep(charge, lock.runtime());
        Kept {
            lock,
            permit,
            trust,
            given_back: false,
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

    /// What to carry to the guard, as long as the lease is trusted; as
    /// [`Lease::permit`](crate::Lease::permit).
    ///
    /// # Errors
    /// [`Lost`] once the trusted time is over. A thread that was blocked past it, and its keeper
    /// with it, sees that here.
    pub fn permit(&self) -> Result<Permit, Lost> {
        let trust = *self.trust.borrow();
        match trust.is_over() {
            false => Ok(self.permit.clone()),
            true => Err(Lost {
                resource: self.resource().clone(),
                fence: self.fence(),
                ago: trust.over_for(),
            }),
        }
    }

    /// How long the lease can be trusted if it is not renewed once more; zero once it is lost. Never
    /// beyond the longest time that was asked for.
    pub fn remaining(&self) -> Duration {
        self.trust.borrow().left()
    }

    /// Returns when the lease is lost: at once if it already is. That is before the server can
    /// grant it to another, and at the latest at the end of the longest time.
    pub async fn lost(&self) {
        let mut trust = self.trust.clone();
        loop {
            let left = trust.borrow_and_update().left();
            if left.is_zero() {
                return;
            }
            tokio::select! {
                () = sleep(left) => {}
                moved = trust.changed() => if moved.is_err() {
                    // The keeper has gone, so that the end no longer moves.
                    sleep(left).await;
                },
            }
        }
    }

    /// Stops renewing and gives the lease back; as [`Lease::release`](crate::Lease::release).
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
        self.stop();
        let released = self.lock.release(&self.permit).await;
        if !matches!(released, Err(ReleaseError::Unknown(_))) {
            self.end();
        }
        released
    }

    /// Lets go of what the keeper looks at to see whether anybody still wants the lease.
    fn stop(&mut self) {
        self.trust = watch::channel(Trust::over()).1;
    }

    /// Notes that Redis no longer has this lease.
    fn end(&mut self) {
        self.given_back = true;
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if !self.given_back {
            self.lock.release_in_background(self.permit.clone());
        }
    }
}
