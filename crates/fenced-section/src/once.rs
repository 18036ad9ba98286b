//! One call under a lease, where the call opens, judges and writes by itself.

use std::error::Error;
use std::time::Instant;

use fence::{MayRefuse, Permit, Resource};
use lease_lock::{Attempt, Lease, Released, renewing};
use tracing::instrument;

use crate::acquire::Acquired;
use crate::heal::Healing;
use crate::leave::bounded;
use crate::{EnterError, EnterOptions, OnceError, Sections};

impl Sections {
    /// Takes the lease, makes one guarded call with its permit, and gives the lease back: three round
    /// trips, for a call whose function in Postgres opens, decides and writes in one transaction.
    ///
    /// A call that was refused as *stale* or in *conflict* under a fresh lease is made again with a
    /// higher fence: Redis had lost numbers, and a refused call has written nothing. So `call` may run
    /// more than once, and must make the whole call each time. It is not cancelled when the lease is
    /// lost: it is the guard that judges it. With [`EnterOptions::kept_for`] the lease is renewed while
    /// the call goes on.
    ///
    /// Do not hand it a function that only *checks* the fence while it writes: what such a call has read
    /// before can be changed by an older holder (README of the guard).
    ///
    /// # Errors
    /// [`OnceError`]. After an error of the call that leaves its outcome unknown, hand the permit of the
    /// error to [`resolve`](Sections::resolve).
    #[instrument(name = "fenced_section.once", skip_all, fields(
        fence.resource = %resource,
        lease.ttl_ms = options.ttl.as_millis(),
        lease.budget_ms = options.budget.as_millis(),
    ))]
    pub async fn once<T, E, W>(
        &self,
        resource: &Resource,
        options: &EnterOptions,
        call: impl FnMut(Permit) -> W,
    ) -> Result<T, OnceError<E>>
    where
        W: Future<Output = Result<T, E>>,
        E: MayRefuse + Error + 'static,
    {
        let attempt = Attempt::new(resource.clone(), options.ttl);
        let acquired = self.acquire_new(attempt, options.deadline()).await;
        let Acquired {
            mut lease,
            since,
            mut healing,
        } = acquired.map_err(OnceError::Enter)?;
        self.figures.entered("once");
        let end = options.end_of_hold();
        let answer = self.call_healing(&mut lease, end, &mut healing, call).await;
        match &answer {
            Ok(_) => healing.done(self, resource),
            Err(OnceError::Call { source, .. }) => {
                if let Some(refusal) = source.refusal() {
                    self.figures.refused(refusal.reason());
                }
            }
            Err(OnceError::Enter(_)) => {}
        }
        let held_for = since.elapsed();
        let in_time = lease.permit().is_ok();
        let released = bounded(options.leave_step, lease.release()).await;
        let gone = matches!(released, Ok(Released::Expired | Released::TakenOver { .. }));
        self.figures.left(held_for, options.ttl, gone || !in_time);
        answer
    }

    async fn call_healing<T, E, W>(
        &self,
        lease: &mut Lease,
        end: Option<Instant>,
        healing: &mut Healing,
        mut call: impl FnMut(Permit) -> W,
    ) -> Result<T, OnceError<E>>
    where
        W: Future<Output = Result<T, E>>,
        E: MayRefuse + Error + 'static,
    {
        loop {
            let permit = lease
                .permit()
                .map_err(|lost| OnceError::Enter(EnterError::Lost(lost.into())))?;
            let called = call(permit.clone());
            let answer = match end {
                None => called.await,
                Some(_) => renewing(&mut [&mut *lease], end, called).await,
            };
            let source = match answer {
                Ok(value) => return Ok(value),
                Err(source) => source,
            };
            match source.refusal() {
                Some(refusal) if healing.can_heal(refusal, lease) => self
                    .remint(lease, refusal.mark(), healing)
                    .await
                    .map_err(OnceError::Enter)?,
                _ => return Err(OnceError::Call { permit, source }),
            }
        }
    }
}
