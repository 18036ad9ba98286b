//! Leases that are renewed while something else is awaited: another lease, an opening, a call.
//!
//! The keeper of `lease-lock` renews what is held for good. These leases are still on their way into a
//! section, where a higher fence may have to be minted into them.

use std::convert::Infallible;
use std::future::pending;
use std::time::{Duration, Instant};

use lease_lock::{Lease, Ttl};
use tokio::time::sleep;

/// A failed renewal is repeated after a thirtieth of the TTL, as the keeper does.
const TRIES_PER_TTL: u32 = 30;

/// Awaits `work`, and meanwhile renews each lease that has used up half of its TTL. No lease is renewed
/// beyond `end`.
pub(crate) async fn renewing<T>(
    leases: &mut [&mut Lease],
    end: Option<Instant>,
    work: impl Future<Output = T>,
) -> T {
    tokio::select! {
        biased;
        value = work => value,
        never = renew_for_ever(leases, end) => match never {},
    }
}

/// Renews a lease that has used up half of its TTL. What goes wrong shows in what is left of it.
pub(crate) async fn freshen(lease: &mut Lease, end: Option<Instant>) {
    let Some(ttl) = next_ttl(lease, end) else {
        return;
    };
    if until_half(lease).is_zero() {
        // Its errors are in its own span.
        let _ = lease.renew(ttl).await;
    }
}

async fn renew_for_ever(leases: &mut [&mut Lease], end: Option<Instant>) -> Infallible {
    loop {
        let alive = leases
            .iter()
            .filter(|lease| next_ttl(lease, end).is_some())
            .map(|lease| until_half(lease).max(one_try(lease)));
        let Some(pause) = alive.min() else {
            return pending().await;
        };
        sleep(pause).await;
        for lease in leases.iter_mut() {
            freshen(lease, end).await;
        }
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
