//! The fenced lease: acquire (with the guard's floor where Redis has lost its memory), open (with a
//! higher fence where the mark is ahead), close, release.

use std::time::Duration;

use anyhow::{Context, bail};
use fence_guard::{Closed, Error, Guard, OpenPermit, Reason};
use lease_lock::{AcquireError, Attempt, Lease, LeaseLock, Released};

use super::Voice;
use super::book::Book;
use crate::wire::{Event, Exchange};

/// How often a lease is reminted before the opening is given up. One is enough after any loss of
/// Redis' memory; a second time means that somebody else mints ahead of us.
const MOST_REMINTS: usize = 2;

/// Acquires, once. Where Redis has no counter for the resource, the ledger's mark is the floor.
pub(crate) async fn acquire(
    locks: &LeaseLock,
    attempt: Attempt,
    book: &Book,
    voice: &mut Voice,
) -> anyhow::Result<Option<Lease>> {
    let mut result = locks.try_acquire(&attempt).await;
    if matches!(result, Err(AcquireError::CounterMissing { .. })) {
        let floor = book.mark(attempt.resource()).await?;
        voice.tell(Event::CounterMissing { floor: floor.get() });
        result = locks.try_acquire(&attempt.with_floor(floor)).await;
    }
    let command = "EVALSHA acquire.lua".to_owned();
    match result {
        Ok(lease) => {
            let reply = "granted".to_owned();
            let fence = Some(lease.fence().get());
            voice.tell(Event::Acquired {
                redis: Exchange { command, reply },
                fence,
            });
            Ok(Some(lease))
        }
        Err(AcquireError::Held { by, remaining, .. }) => {
            let left = remaining.as_millis();
            let reply = format!("held under fence {by}, {left} ms left");
            voice.tell(Event::KeptOut {
                redis: Exchange { command, reply },
            });
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens the resource, and remints while the mark is ahead of a lease that is ours.
pub(crate) async fn open(
    lease: &mut Lease,
    guard: &Guard,
    voice: &mut Voice,
) -> anyhow::Result<OpenPermit> {
    for _ in 0..=MOST_REMINTS {
        let permit = lease.permit()?;
        let refusal = match guard.open(&permit, lease.remaining()).await {
            Ok(open) => {
                let (fence, takeover) = (permit.fence().get(), open.is_takeover());
                voice.tell(Event::Opened { fence, takeover });
                return Ok(open);
            }
            Err(Error::Refused(refusal)) => refusal,
            Err(error) => return Err(error.into()),
        };
        if !matches!(refusal.reason(), Reason::Stale | Reason::Conflict) {
            return Err(refusal.into());
        }
        let fence = lease
            .remint(refusal.mark())
            .await
            .context("the lease cannot be reminted")?;
        voice.tell(Event::Reminted { fence: fence.get() });
    }
    bail!("the mark ran ahead of {MOST_REMINTS} reminted fences")
}

/// Closes the opening; a late holder learns here that it was overtaken.
pub(crate) async fn close(
    lease: &Lease,
    open: &OpenPermit,
    guard: &Guard,
    voice: &mut Voice,
) -> anyhow::Result<()> {
    let left = lease.remaining();
    // The lease keeps no count of how long ago it was lost; below zero says that it was.
    let left_ms = if left == Duration::ZERO {
        -1
    } else {
        left.as_millis().try_into()?
    };
    let overtaken_by = match guard.close(open, left_ms).await? {
        Closed::Overtaken(refusal) => Some(refusal.mark().get()),
        _ => None,
    };
    voice.tell(Event::Closed { overtaken_by });
    Ok(())
}

/// Gives the lease back, if it is still ours.
pub(crate) async fn release(lease: Lease, voice: &mut Voice) -> anyhow::Result<()> {
    let reply = match lease.release().await? {
        Released::Released => "released".to_owned(),
        Released::Expired => "expired".to_owned(),
        Released::TakenOver { by } => format!("taken over by fence {by}"),
    };
    let command = "EVALSHA release.lua".to_owned();
    voice.tell(Event::Released {
        redis: Exchange { command, reply },
    });
    Ok(())
}
