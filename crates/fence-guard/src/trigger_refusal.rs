//! What the trigger of a protected table says, read from the error that a statement failed with.

use std::fmt;

use fence::{Fence, Floor, Holder, Permit, Reason, Refusal, Resource};
use sqlx::postgres::PgDatabaseError;
use sqlx::types::JsonValue;
use uuid::Uuid;

/// SQLSTATE of what `fence.check_row` and `fence.check_truncate` raise.
const REFUSED_BY_TRIGGER: &str = "ZF007";

/// Why a protected table refused a statement (`fence.protect`). The transaction is good for nothing but a
/// rollback, and no row tells of it: an error leaves none. [`Guard::begin`](crate::Guard::begin) is the call
/// whose refusals are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerRefusal {
    table: String,
    operation: String,
    resource: Option<String>,
    reason: TriggerReason,
    presented: Option<Permit>,
    mark: Option<Floor>,
    opened_by: Option<Holder>,
}

/// Why a trigger refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TriggerReason {
    /// The transaction carries a permit of the row's resource, and the guard says this of it. A transaction
    /// that was admitted never hears it: it says that the permits were set by hand.
    Permit(Reason),
    /// The transaction carries no permit of the row's resource: it was not admitted, or for others.
    NotAdmitted,
    /// The row names no resource: its column is null.
    NoResource,
    /// The statement is a TRUNCATE, which names no resource, and is refused always.
    Truncate,
}

impl TriggerRefusal {
    /// Reads the refusal from what a statement failed with; `None` for every other error.
    pub fn of(error: &sqlx::Error) -> Option<TriggerRefusal> {
        let answer = error
            .as_database_error()?
            .try_downcast_ref::<PgDatabaseError>()?;
        if answer.code() != REFUSED_BY_TRIGGER {
            return None;
        }
        TriggerRefusal::read(&answer.detail()?.parse().ok()?)
    }

    /// The table, as Postgres writes it with its schema; for a partitioned one the partition.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// `INSERT`, `UPDATE`, `DELETE` or `TRUNCATE`: what would have happened to the row.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// What the row's column says; `None` for null and for a TRUNCATE. It need not be a possible name.
    pub fn resource(&self) -> Option<&str> {
        self.resource.as_deref()
    }

    /// Why it was refused.
    pub fn reason(&self) -> TriggerReason {
        self.reason
    }

    /// The permit that the transaction carries for the row's resource, if any.
    pub fn presented(&self) -> Option<&Permit> {
        self.presented.as_ref()
    }

    /// The mark of the row's resource, 0 where nothing was opened; `None` where the guard was not asked: the
    /// transaction carries no permit at all.
    pub fn mark(&self) -> Option<Floor> {
        self.mark
    }

    /// Who had opened the mark; told only where a permit for the resource was carried.
    pub fn opened_by(&self) -> Option<Holder> {
        self.opened_by
    }

    /// The same as the guard's own refusal, where a permit was shown.
    pub fn refusal(&self) -> Option<Refusal> {
        match (self.reason, &self.presented, self.mark) {
            (TriggerReason::Permit(reason), Some(permit), Some(mark)) => {
                Some(Refusal::new(permit.clone(), reason, mark, self.opened_by))
            }
            _ => None,
        }
    }

    fn read(detail: &JsonValue) -> Option<TriggerRefusal> {
        let text = |name: &str| detail[name].as_str().map(str::to_owned);
        let resource = text("resource");
        Some(TriggerRefusal {
            table: text("table")?,
            operation: text("operation")?,
            reason: reason(&text("reason")?)?,
            presented: presented(detail, resource.as_deref()),
            mark: detail["observed_fence"]
                .as_i64()
                .and_then(|mark| Floor::try_from(mark).ok()),
            opened_by: holder(&detail["observed_holder"]),
            resource,
        })
    }
}

fn reason(word: &str) -> Option<TriggerReason> {
    match word {
        "not admitted" => Some(TriggerReason::NotAdmitted),
        "no resource" => Some(TriggerReason::NoResource),
        "truncate" => Some(TriggerReason::Truncate),
        other => other.parse().ok().map(TriggerReason::Permit),
    }
}

fn presented(detail: &JsonValue, resource: Option<&str>) -> Option<Permit> {
    let fence = detail["presented_fence"].as_i64()?;
    Some(Permit::new(
        Resource::new(resource?).ok()?,
        Fence::try_from(fence).ok()?,
        holder(&detail["presented_holder"])?,
    ))
}

fn holder(value: &JsonValue) -> Option<Holder> {
    Some(Holder::from_uuid(Uuid::try_parse(value.as_str()?).ok()?))
}

impl fmt::Display for TriggerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, operation) = (&self.table, self.operation.to_lowercase());
        let resource = self.resource.as_deref().unwrap_or("no resource");
        match (self.reason, self.refusal()) {
            (TriggerReason::Permit(_), Some(refusal)) => {
                write!(f, "{operation} in {table}: {refusal}")
            }
            (TriggerReason::Permit(reason), None) => {
                write!(
                    f,
                    "{operation} in {table}: the permit of {resource} is {reason}"
                )
            }
            (TriggerReason::NotAdmitted, _) => write!(
                f,
                "{operation} in {table}: not admitted for {resource}; begin the transaction with its opening"
            ),
            (TriggerReason::NoResource, _) => write!(
                f,
                "{operation} in {table}: the row names no resource; give it one"
            ),
            (TriggerReason::Truncate, _) => write!(
                f,
                "truncate of {table} names no resource; delete the rows of one resource instead"
            ),
        }
    }
}

impl std::error::Error for TriggerRefusal {}
