//! The fenced lease: acquire (with the guard's floor where Redis has lost its memory), open (with a
//! higher fence where the mark is ahead), close, release.

use anyhow::{Context, bail};
use fence_guard::{Closed, Error, Guard, OpenPermit, Reason};
use lease_lock::{AcquireError, Attempt, Lease, LeaseLock, Released};

use super::Voice;
use super::book::Book;
use crate::wire::{Event, Exchange};

/// How often a lease is reminted before the opening is given up. One is enough after any loss of
/// Redis' memory; a second time means that somebody else mints ahead of us.
const MOST_REMINTS: usize = 2;
/// How often an attempt is sent again after a lost reply. Each time waits for a second.
const MOST_REPLAYS: usize = 10;

/// Acquires, once. Where Redis has no counter for the resource, the ledger's mark is the floor.
pub(crate) async fn acquire(
    locks: &LeaseLock,
    attempt: Attempt,
    book: &Book,
    voice: &mut Voice,
) -> anyhow::Result<Option<Lease>> {
    let mut result = send(locks, &attempt).await;
    if matches!(result, Err(AcquireError::CounterMissing { .. })) {
        let floor = book.mark(attempt.resource()).await?;
        voice.tell(Event::CounterMissing { floor: floor.get() });
        result = send(locks, &attempt.with_floor(floor)).await;
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

/// Sends an attempt; after a lost reply the very same one again, which finds its own lease.
async fn send(locks: &LeaseLock, attempt: &Attempt) -> Result<Lease, AcquireError> {
    let mut result = locks.try_acquire(attempt).await;
    for _ in 0..MOST_REPLAYS {
        if !matches!(result, Err(AcquireError::Unknown(_))) {
            break;
        }
        result = locks.try_acquire(attempt).await;
    }
    result
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
    // Below zero, it is how long ago the lease was lost: an overrun.
    let left_ms = match lease.permit() {
        Ok(_) => i64::try_from(lease.remaining().as_millis())?,
        Err(lost) => -i64::try_from(lost.ago.as_millis().max(1))?,
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
