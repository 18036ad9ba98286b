//! What a customer is told when a query came to nothing, as RFC 9457 writes it.

mod from;
mod profile;
mod response;

use std::error::Error;
use std::time::Duration;

use fenced_section::{Lost, Refusal};
use http::StatusCode;

use crate::{InvalidId, InvalidQuery, KeyError};

/// A moment after which the same request may fare better.
pub(crate) const SOON: Duration = Duration::from_secs(1);

type Cause = Box<dyn Error + Send + Sync>;

/// What whoever has too few credits can do.
fn way_on(held: i64, frees_in: &Option<Duration>) -> String {
    match frees_in {
        Some(_) => format!("{held} more are held for queries in flight; retry shortly"),
        None => "buy credits".to_owned(),
    }
}

/// Why there is no answer. A request that hears one of these has charged nothing itself, save that one whose fate is
/// [`Unknown`](Problem::Unknown) or [`Internal`](Problem::Internal) may have. An earlier request with the same key, or
/// one on another instance, may have been charged and answered all the same: whoever sends the same key again finds out,
/// and whoever takes a new key may pay twice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// 400: a query without a key, or with none that can be read.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// 400: a user or dataset that cannot be one.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// 400: a body that asks nothing.
    #[error(transparent)]
    Query(#[from] InvalidQuery),
    /// 400: a body that ended before its end, or in no form that HTTP knows.
    #[error("the query broke off on its way; send it again")]
    BrokenBody(#[source] Cause),
    /// 413: a body that is too long for a query.
    #[error("a query has at most {bytes} bytes")]
    TooLarge {
        /// The bound.
        bytes: usize,
    },
    /// 408: a body that did not come in time.
    #[error("the query did not arrive within {} s; send it again", .within.as_secs())]
    TooSlow {
        /// The bound.
        within: Duration,
    },
    /// 404: nothing is served there.
    #[error("nothing is served at this path")]
    NoSuchPath,
    /// 405: not by this method.
    #[error("this path is not served by this method")]
    NoSuchMethod,
    /// 422: the key was used for another query.
    #[error("this Idempotency-Key was used for another query; take a new key for a new query")]
    KeyReused,
    /// 409: somebody works on the same dataset of the same user, perhaps on this very query.
    #[error("another query for this dataset is in flight; retry shortly")]
    InFlight {
        /// When it may be over.
        retry_after: Duration,
    },
    /// 409: another instance took the dataset over before this one could charge; it was refused, as a row.
    #[error(
        "this query was overtaken by another for this dataset, nothing was charged by this request; the same key finds out whether it is answered"
    )]
    Overtaken(Refusal),
    /// 402: the credits that are not spoken for do not cover the price.
    #[error("the price of a query is {price}, and {available} credits are available; {}", way_on(*.held, .frees_in))]
    NoCredit {
        /// What the account has above its floor, less what is held.
        available: i64,
        /// What is held for queries in flight.
        held: i64,
        /// What a query costs.
        price: i64,
        /// When some of what is held may be free again; `None` where all of it would not cover the price, either.
        frees_in: Option<Duration>,
    },
    /// 404: nobody has opened an account for this user.
    #[error("there is no account of this user")]
    NoAccount,
    /// 403: the account is frozen or closed.
    #[error("the account of this user is {state}; it pays for nothing")]
    AccountShut {
        /// `frozen` or `closed`.
        state: &'static str,
    },
    /// 504: the query was stopped.
    #[error("the query took longer than {} ms and was stopped, nothing was charged by this request; ask for fewer days with a new key", .limit.as_millis())]
    QueryTooLong {
        /// The bound.
        limit: Duration,
    },
    /// 503: the lease ended before the query did.
    #[error(
        "the query outlived its lease, nothing was charged by this request; the same key finds out whether it is answered"
    )]
    LeaseLost(#[from] Lost),
    /// 503: the hold on the credits ended before the query did.
    #[error(
        "the credits that were held for this query were given back, nothing was charged by this request; the same key finds out whether it is answered"
    )]
    HoldGone,
    /// 503: Postgres may have charged and answered, or not.
    #[error(
        "it is unknown whether this query was answered; send it again with the same key, it is charged once"
    )]
    Unknown(#[source] Cause),
    /// 503: Redis, Postgres or the dataset does not answer.
    #[error(
        "{what} does not answer, nothing was charged by this request; the same key finds out whether it is answered"
    )]
    Unavailable {
        /// Which of them.
        what: &'static str,
        /// What it said, for the log.
        #[source]
        cause: Cause,
    },
    /// 503: as many queries are in flight as this instance takes.
    #[error("this instance has all the queries that it takes; retry with the same key")]
    Full,
    /// 503: this instance is being stopped.
    #[error(
        "this instance is being stopped, nothing was charged by this request; the same key finds out whether it is answered"
    )]
    Stopping,
    /// 500: the service is to be mended.
    #[error(
        "the service failed, and its log says more; the same key finds out whether this was answered"
    )]
    Internal(#[source] Cause),
}

impl Problem {
    /// A word for the log, the figures and the `type`, which never changes.
    pub fn kind(&self) -> &'static str {
        self.profile().0
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.profile().2
    }

    /// When to try again; `None` where time alone mends nothing.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Problem::InFlight { retry_after } => Some(*retry_after),
            Problem::Overtaken(_) => Some(SOON),
            Problem::NoCredit { frees_in, .. } => *frees_in,
            _ if self.status() == StatusCode::SERVICE_UNAVAILABLE => Some(SOON),
            _ => None,
        }
    }

    /// Whether the instance that has taken over may have answered the same request by now.
    pub(crate) fn may_be_answered_elsewhere(&self) -> bool {
        matches!(
            self,
            Problem::Overtaken(_)
                | Problem::LeaseLost(_)
                | Problem::HoldGone
                | Problem::Unknown(_)
                | Problem::Unavailable { .. }
        )
    }

    /// Whether credits may be held still for a query that came to this: they are, unless nothing was held, or what
    /// was is known to have ended.
    pub(crate) fn may_leave_a_hold(&self) -> bool {
        match self {
            Problem::LeaseLost(_)
            | Problem::QueryTooLong { .. }
            | Problem::Unknown(_)
            | Problem::Unavailable { .. }
            | Problem::Stopping
            | Problem::Internal(_)
            // Frozen while it was held.
            | Problem::AccountShut { .. } => true,
            // Void, as soon as it is overtaken; of the others none was held.
            _ => false,
        }
    }

    /// What it comes to where it is no charge whose reply was lost: a look, an opening or a hold charges nothing.
    pub(crate) fn without_a_charge(self) -> Problem {
        match self {
            Problem::Unknown(cause) => Problem::Unavailable {
                what: "Postgres",
                cause,
            },
            other => other,
        }
    }

    /// A failure that nobody outside can do anything about.
    pub(crate) fn internal(cause: impl Into<Cause>) -> Problem {
        Problem::Internal(cause.into())
    }
}
