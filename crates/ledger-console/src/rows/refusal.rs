//! A refused write.

use credit_ledger::RefusedWrite;
use fence_guard::RefusalRow;
use serde_json::Value;
use uuid::Uuid;

use super::{moment, under};
use crate::output::{Field, Row};

/// How wide what was to be done may be in its column; a longer one is told below.
const OPERATION: usize = 12;

impl Row for RefusalRow {
    const HEAD: &'static [&'static str] =
        &["at (UTC)", "reason", "late", "against", ">tries", "write"];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("seq", self.seq.into()),
            ("first_at", self.first_at.into()),
            ("last_at", self.last_at.into()),
            ("reason", self.reason.as_str().into()),
            ("resource", self.resource.as_str().into()),
            ("presented_fence", Field::Fence(self.presented_fence)),
            ("presented_holder", self.presented_holder.into()),
            ("observed_fence", Field::Fence(self.observed_fence)),
            ("observed_holder", self.observed_holder.into()),
            ("attempts", self.attempts.into()),
            ("operation", self.operation.as_str().into()),
            ("request", request(self.request)),
            ("write", Field::Json(self.write.clone())),
        ]
    }

    fn cells(&self) -> Vec<String> {
        let is_short = self.operation.chars().count() <= OPERATION;
        vec![
            moment(self.first_at),
            self.reason.clone(),
            under(self.presented_fence, Some(self.presented_holder)),
            under(self.observed_fence, self.observed_holder),
            self.attempts.to_string(),
            if is_short {
                self.operation.clone()
            } else {
                "see below".to_owned()
            },
        ]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let mut details = vec![("resource", self.resource.clone())];
        if self.operation.chars().count() > OPERATION {
            details.push(("write", self.operation.clone()));
        }
        // What a ledger tells of its writes. Another service tells what it likes: that is whole in JSON.
        for name in ["account", "amount"] {
            match self.write.get(name) {
                Some(Value::String(text)) => details.push((name, text.clone())),
                Some(Value::Number(number)) => details.push((name, number.to_string())),
                _ => {}
            }
        }
        details
    }
}

impl Row for RefusedWrite {
    const HEAD: &'static [&'static str] = &[
        "at (UTC)", "reason", "late", "against", ">tries", "write", ">amount",
    ];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("seq", self.seq.into()),
            ("first_at", self.first_at.into()),
            ("last_at", self.last_at.into()),
            ("reason", self.reason.as_str().into()),
            ("resource", self.resource.as_str().into()),
            ("presented_fence", Field::Fence(self.presented_fence)),
            ("presented_holder", self.presented_holder.into()),
            ("observed_fence", Field::Fence(self.observed_fence)),
            ("observed_holder", self.observed_holder.into()),
            ("attempts", self.attempts.into()),
            ("operation", self.operation.as_str().into()),
            ("request", request(self.request)),
            ("account", self.account.as_str().into()),
            ("amount", self.amount.into()),
            ("purpose", self.purpose.as_str().into()),
            ("hold", self.hold.clone().into()),
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            moment(self.first_at),
            self.reason.clone(),
            under(self.presented_fence, Some(self.presented_holder)),
            under(self.observed_fence, self.observed_holder),
            self.attempts.to_string(),
            self.operation.clone(),
            self.amount.to_string(),
        ]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        vec![
            ("resource", self.resource.clone()),
            ("purpose", self.purpose.clone()),
        ]
    }
}

/// A write without a request id bears the nil UUID.
fn request(id: Uuid) -> Field {
    Some(id).filter(|id| !id.is_nil()).into()
}
