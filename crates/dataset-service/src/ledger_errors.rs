//! What the ledger says no to, in the words of the service.

use credit_ledger::Error;

use crate::service::Service;
use crate::{Problem, figures};

impl Service {
    /// A refusal is counted here: within a section that is the caller's to do.
    pub(crate) fn refused_by_ledger(&self, operation: &'static str, error: Error) -> Problem {
        match error {
            Error::Refused(refusal) => {
                figures::refused(operation, refusal.reason());
                Problem::Overtaken(refusal)
            }
            // The same key, paid for or held under another purpose: a twin of this request that asks something else.
            Error::Mismatch { .. } => Problem::KeyReused,
            Error::UnknownAccount => Problem::NoAccount,
            Error::FrozenAccount => Problem::AccountShut { state: "frozen" },
            Error::ClosedAccount => Problem::AccountShut { state: "closed" },
            Error::HoldEnded { .. } => Problem::HoldGone,
            Error::Store(error) => error.into(),
            other => Problem::internal(other),
        }
    }
}
