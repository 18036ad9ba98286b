//! What a section is held by, and until when it may be trusted.

use std::time::{Duration, Instant};

use lease_lock::{Kept, Lease, ReleaseError, Released};

/// What a section is held by.
#[derive(Debug)]
pub(crate) enum Hold {
    /// A lease in Redis.
    Lease(Lease),
    /// A lease in Redis that is renewed for its holder.
    Kept(Kept),
    /// The validity of an opening that the guard minted, without any lease.
    Minted(Minted),
    /// Nothing any more: it has been given back.
    GivenBack,
}

/// Until when an opening that the guard minted keeps others out, on this process' monotonic clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Minted {
    until: Instant,
}

impl Minted {
    /// The guard counts from when it executes the request, which is after it was `sent`. The margin for
    /// clocks of different speed is the lease's: 1 % and 2 ms.
    pub(crate) fn starting(sent: Instant, time: Duration) -> Minted {
        let margin = time / 100 + Duration::from_millis(2);
        Minted {
            until: sent + time.saturating_sub(margin),
        }
    }
}

impl Hold {
    /// By a lease, renewed until the end if there is one. From here on no higher fence can be minted into
    /// a renewed one, so it must be open.
    pub(crate) fn until(lease: Lease, end: Option<Instant>) -> Hold {
        match end {
            None => Hold::Lease(lease),
            Some(end) => Hold::Kept(lease.keep(end.saturating_duration_since(Instant::now()))),
        }
    }

    /// The lease that nobody renews.
    pub(crate) fn lease_mut(&mut self) -> Option<&mut Lease> {
        match self {
            Hold::Lease(lease) => Some(lease),
            Hold::Kept(_) | Hold::Minted(_) | Hold::GivenBack => None,
        }
    }

    /// How long it can still be trusted, if it is not renewed once more; zero once it is lost.
    pub(crate) fn remaining(&self) -> Duration {
        match self {
            Hold::Lease(lease) => lease.remaining(),
            Hold::Kept(kept) => kept.remaining(),
            Hold::Minted(minted) => minted.until.saturating_duration_since(Instant::now()),
            Hold::GivenBack => Duration::ZERO,
        }
    }

    /// How long it has been lost; `None` while it is trusted.
    pub(crate) fn lost_for(&self) -> Option<Duration> {
        match self {
            Hold::Lease(lease) => lease.permit().err().map(|lost| lost.ago),
            Hold::Kept(kept) => kept.permit().err().map(|lost| lost.ago),
            Hold::Minted(minted) => {
                let now = Instant::now();
                (now >= minted.until).then(|| now - minted.until)
            }
            Hold::GivenBack => Some(Duration::ZERO),
        }
    }

    /// What the guard records on leaving: what is left, below zero once it is lost.
    pub(crate) fn left_ms(&self) -> i64 {
        let whole = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        match self.lost_for() {
            None => whole(self.remaining()),
            Some(ago) => -whole(ago).max(1),
        }
    }

    /// Returns when it is lost: at once if it already is.
    pub(crate) async fn lost(&self) {
        match self {
            Hold::Lease(lease) => lease.lost().await,
            Hold::Kept(kept) => kept.lost().await,
            // A timer may fire early: look at the clock again each time.
            Hold::Minted(_) => loop {
                match self.remaining() {
                    Duration::ZERO => return,
                    left => tokio::time::sleep(left).await,
                }
            },
            Hold::GivenBack => {}
        }
    }

    /// Gives a lease back; `None` where there is none.
    pub(crate) async fn release(self) -> Result<Option<Released>, ReleaseError> {
        match self {
            Hold::Lease(lease) => lease.release().await.map(Some),
            Hold::Kept(kept) => kept.release().await.map(Some),
            Hold::Minted(_) | Hold::GivenBack => Ok(None),
        }
    }
}
