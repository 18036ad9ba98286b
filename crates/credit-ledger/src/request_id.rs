//! The id that makes a request happen once.

use std::fmt;

use uuid::Uuid;

/// The id of a request, global over all accounts and verbs: what it came to happens once.
///
/// Take a fresh one for each thing that the customer means to pay for, and the same one again for each
/// retry of it. An id built from account and amount is too coarse: a rightful second charge vanishes.
///
/// A hold and a charge are named by the ids of their requests: those of a capture, a release and a refund say which
/// one they are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(Uuid);

/// The nil UUID, which stands for "no request id".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the nil UUID is no request id, take a random one")]
pub struct InvalidRequestId;

impl RequestId {
    /// A fresh id (UUID version 4).
    pub fn random() -> RequestId {
        RequestId(Uuid::new_v4())
    }

    /// Takes an id that the caller has.
    ///
    /// # Errors
    /// [`InvalidRequestId`] for the nil UUID.
    pub const fn from_uuid(uuid: Uuid) -> Result<RequestId, InvalidRequestId> {
        if uuid.is_nil() {
            Err(InvalidRequestId)
        } else {
            Ok(RequestId(uuid))
        }
    }

    /// The id for an `Idempotency-Key` header: a UUID version 5 of `key` within `namespace`.
    ///
    /// Give each client a namespace of its own, so that one cannot meet another's keys.
    pub fn from_idempotency_key(namespace: Uuid, key: &str) -> RequestId {
        RequestId(Uuid::new_v5(&namespace, key.as_bytes()))
    }

    /// The id as a UUID, never nil.
    pub const fn as_uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
