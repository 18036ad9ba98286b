//! Leases that are renewed while something else is awaited: another lease, an opening, a call.
//!
//! The keeper renews what is held for good. These leases are still on their way, and a higher fence may
//! have to be minted into them.

use std::convert::Infallible;
use std::future::pending;
use std::time::{Duration, Instant};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::sleep;

use crate::{Lease, Ttl};

/// A failed renewal is repeated after a thirtieth of the TTL, as the keeper does.
const TRIES_PER_TTL: u32 = 30;

/// Awaits `work`, and meanwhile renews each lease that has used up half of its TTL, side by side. No
/// lease is renewed beyond `end`. Afterwards look at [`Lease::permit`]: one that could not be renewed may
/// be lost.
pub async fn renewing<T>(
    leases: &mut [&mut Lease],
    end: Option<Instant>,
    work: impl Future<Output = T>,
) -> T {
    let mut renewals: FuturesUnordered<_> = leases
        .iter_mut()
        .map(|lease| until_lost(lease, end))
        .collect();
    let renewed = async {
        while renewals.next().await.is_some() {}
        pending::<Infallible>().await
    };
    tokio::select! {
        biased;
        value = work => value,
        never = renewed => match never {},
    }
}

/// Renews a lease that has used up half of its TTL, not beyond `end`. What goes wrong shows in what is
/// left of it.
pub async fn freshen(lease: &mut Lease, end: Option<Instant>) {
    let Some(ttl) = next_ttl(lease, end) else {
        return;
    };
    if until_half(lease).is_zero() {
        // Its errors are in its own span.
        let _ = lease.renew(ttl).await;
    }
}

async fn until_lost(lease: &mut Lease, end: Option<Instant>) {
    while next_ttl(lease, end).is_some() {
        sleep(until_half(lease).max(one_try(lease))).await;
        freshen(lease, end).await;
    }
}

/// The whole TTL, or what is left until the end; `None` once that is in force, and for a lease that is
/// lost: what was lost once stays lost.
fn next_ttl(lease: &Lease, end: Option<Instant>) -> Option<Ttl> {
    let left = lease.remaining();
    let Some(end) = end else {
        return (!left.is_zero()).then(|| lease.ttl());
    };
    let longest = end.saturating_duration_since(Instant::now());
    let gained = longest.saturating_sub(left) > one_try(lease);
    let ttl = Ttl::try_from(longest).unwrap_or(Ttl::MIN);
    (!left.is_zero() && gained).then(|| ttl.min(lease.ttl()))
}

/// How long until half of the TTL is used up; zero from then on.
fn until_half(lease: &Lease) -> Duration {
    let half = lease.ttl().as_duration() / 2;
    lease.remaining().saturating_sub(half)
}

fn one_try(lease: &Lease) -> Duration {
    lease.ttl().as_duration() / TRIES_PER_TTL
}
