//! What a service answers, in the words of the kit.

use std::error::Error as StdError;

use fence::{MayRefuse, Reason, Refusal, Resource};
use uuid::Uuid;

use crate::error::{Error, StoreError};
use crate::open_permit::OpenPermit;
use crate::trigger_refusal::{TriggerReason, TriggerRefusal};

/// One effect that a service is to bring about: an entry, a reservation, a state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effect {
    /// On which resource. A service that takes it from the opening alone ignores it.
    pub resource: Resource,
    /// The id of the request; a service without request ids ignores it.
    pub request: Uuid,
}

/// A holder that has opened, and has read what it will decide by.
#[derive(Debug)]
pub struct Entered {
    /// Its opening.
    pub open: OpenPermit,
    /// How many effects on the resource it has read.
    pub seen: i64,
}

/// What became of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// This call has written it.
    Now,
    /// An earlier call with the same request id had written it.
    Before,
}

/// Why a service did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Rejected {
    /// The guard refused.
    #[error("refused as {0}")]
    Refused(Reason),
    /// Everything else.
    #[error("failed: {0}")]
    Failed(#[source] Box<dyn StdError + Send + Sync>),
}

impl Rejected {
    /// What a service's own error says: a refusal where it holds one, else a failure.
    pub fn by<E: MayRefuse + StdError + Send + Sync + 'static>(error: E) -> Rejected {
        match error.refusal() {
            Some(refusal) => Rejected::Refused(refusal.reason()),
            None => Rejected::Failed(error.into()),
        }
    }
}

impl From<Refusal> for Rejected {
    fn from(refusal: Refusal) -> Rejected {
        Rejected::Refused(refusal.reason())
    }
}

impl From<Error> for Rejected {
    fn from(error: Error) -> Rejected {
        Rejected::by(error)
    }
}

impl From<StoreError> for Rejected {
    fn from(error: StoreError) -> Rejected {
        Rejected::Failed(error.into())
    }
}

impl From<sqlx::Error> for Rejected {
    fn from(error: sqlx::Error) -> Rejected {
        match TriggerRefusal::of(&error).map(|refusal| refusal.reason()) {
            Some(TriggerReason::Permit(reason)) => Rejected::Refused(reason),
            _ => Rejected::Failed(error.into()),
        }
    }
}
