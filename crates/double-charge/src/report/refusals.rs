//! Refused writes, as rows of the database.

use std::fmt;

use comfy_table::{Attribute, Cell as Field};
use serde::Serialize;
use sqlx::PgPool;
use uuid::Uuid;

use crate::wire::short;

/// A refused write, of the guard or of `fence-on-write`.
#[derive(Debug, Serialize, sqlx::FromRow)]
pub(crate) struct Refused {
    at: String,
    protection: String,
    resource: String,
    account: String,
    amount: i64,
    reason: String,
    presented_fence: i64,
    presented_holder: Option<Uuid>,
    observed_fence: i64,
    observed_holder: Option<Uuid>,
    attempts: i64,
}

impl Refused {
    /// The newest refused writes of one resource, or of all, newest first.
    pub(crate) async fn find(pool: &PgPool, resource: Option<&str>) -> sqlx::Result<Vec<Refused>> {
        sqlx::query_as(include_str!("../../sql/refused.sql"))
            .bind(resource)
            .fetch_all(pool)
            .await
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by =
            |holder: Option<Uuid>| holder.map_or(String::new(), |h| format!(" of {}", short(h)));
        write!(
            f,
            "a charge of {} from {}, {}: fence {}{} was overtaken by fence {}{} ({} attempt{})",
            self.amount,
            self.account,
            self.reason,
            self.presented_fence,
            by(self.presented_holder),
            self.observed_fence,
            by(self.observed_holder),
            self.attempts,
            if self.attempts == 1 { "" } else { "s" },
        )
    }
}

/// The table of refused writes.
pub(crate) fn refusals(rows: &[Refused]) -> String {
    let mut table = super::table();
    let head = [
        "at",
        "refused by",
        "reason",
        "fence",
        "overtaken by",
        "attempts",
        "amount",
        "resource",
    ];
    table.set_header(head.map(|name| Field::new(name).add_attribute(Attribute::Bold)));
    for row in rows {
        table.add_row([
            row.at.clone(),
            row.protection.clone(),
            row.reason.clone(),
            row.presented_fence.to_string(),
            row.observed_fence.to_string(),
            row.attempts.to_string(),
            row.amount.to_string(),
            row.resource.clone(),
        ]);
    }
    format!("{}\n", table.trim_fmt())
}
