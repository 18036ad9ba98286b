//! What a service implements to be tried.

use fence::{Floor, Permit, Resource};
use sqlx::PgPool;

use crate::error::StoreError;
use crate::guard::Guard;
use crate::open_permit::OpenPermit;
use crate::records::RefusalRow;

use super::claims::Claims;
use super::outcome::{Applied, Effect, Entered, Rejected};

/// More refusals than any scenario brings about.
const ALL: u16 = 1_000;

/// A service that writes under the guard, as the kit drives it.
///
/// Implement it with the service's own code: what the kit calls must be what production calls, in the same
/// order and in the same transactions. An implementation of three lines that does the right thing beside the
/// service proves nothing of the service.
pub trait Subject: Send + Sync + 'static {
    /// What one process of the service builds around its pool.
    type Instance: Send + Sync + 'static;

    /// What the service says of itself.
    fn claims(&self) -> Claims;

    /// Starts a process of the service, on a pool of its own. The kit plays each holder in a process.
    fn start(&self, pool: PgPool) -> impl Future<Output = Self::Instance> + Send;

    /// Sees to it that a thousand effects on the resource are possible, and that there is none yet.
    ///
    /// It may open the resource under fences up to ten; the kit's own begin above.
    ///
    /// # Errors
    /// Whatever kept it from that; the scenario is then not played.
    fn prepare(
        &self,
        instance: &Self::Instance,
        resource: &Resource,
    ) -> impl Future<Output = Result<(), Rejected>> + Send;

    /// Does what a new holder does before it decides: opens, and reads how many effects there are.
    ///
    /// # Errors
    /// [`Rejected`] if it could not enter.
    fn enter(
        &self,
        instance: &Self::Instance,
        permit: &Permit,
    ) -> impl Future<Output = Result<Entered, Rejected>> + Send;

    /// Writes one effect under an opening.
    ///
    /// The opening may be of a holder that was overtaken, that has closed, that never opened
    /// ([`unopened`](super::unopened)), or of another resource than the effect's.
    ///
    /// # Errors
    /// [`Rejected`] if nothing was written.
    fn write(
        &self,
        instance: &Self::Instance,
        open: &OpenPermit,
        effect: &Effect,
    ) -> impl Future<Output = Result<Applied, Rejected>> + Send;

    /// Ends an opening, as a holder does that leaves.
    ///
    /// # Errors
    /// [`Rejected`] if it could not.
    fn leave(
        &self,
        instance: &Self::Instance,
        open: &OpenPermit,
    ) -> impl Future<Output = Result<(), Rejected>> + Send;

    /// How many effects on the resource there are: the truth, read by the operator, not by the service.
    ///
    /// # Errors
    /// [`sqlx::Error`] if Postgres does not tell.
    fn effects(
        &self,
        operator: &PgPool,
        resource: &Resource,
    ) -> impl Future<Output = Result<i64, sqlx::Error>> + Send;

    /// Reads, in a transaction that was admitted under an opening, how many effects on its resource there are:
    /// what a decision is taken on. Asked only where [`Claims::guarded_reads`] says so.
    ///
    /// # Errors
    /// [`Rejected`] if the holder may not decide any more.
    fn read(
        &self,
        _instance: &Self::Instance,
        _open: &OpenPermit,
    ) -> impl Future<Output = Result<i64, Rejected>> + Send {
        async {
            Err(Rejected::Failed(
                "the service claims no guarded reads".into(),
            ))
        }
    }

    /// The refusals of the resource that were kept. The guard's, unless the guard is not ours.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not tell.
    fn refusals(
        &self,
        operator: &PgPool,
        resource: &Resource,
    ) -> impl Future<Output = Result<Vec<RefusalRow>, StoreError>> + Send {
        let guard = Guard::new(operator.clone());
        async move { guard.refusals(Some(resource), 0, ALL).await }
    }

    /// The mark of the resource. The guard's, unless the guard is not ours.
    ///
    /// # Errors
    /// [`StoreError`] if Postgres does not tell.
    fn mark(
        &self,
        operator: &PgPool,
        resource: &Resource,
    ) -> impl Future<Output = Result<Floor, StoreError>> + Send {
        let guard = Guard::new(operator.clone());
        async move { guard.mark(resource).await }
    }
}
