//! An entry of the ledger.

use credit_ledger::EntryRow;

use super::{moment, under};
use crate::output::{Field, Row};

impl Row for EntryRow {
    const HEAD: &'static [&'static str] = &["at (UTC)", "what", ">change", ">balance", "under"];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("seq", self.seq.into()),
            ("at", self.at.into()),
            ("operation", self.operation.as_str().into()),
            ("account", self.account.as_str().into()),
            ("change", self.change.into()),
            ("balance_after", self.balance_after.into()),
            ("purpose", self.purpose.as_str().into()),
            ("request", self.request.into()),
            ("hold", self.hold.into()),
            ("refund_of", self.refund_of.into()),
            ("resource", self.resource.clone().into()),
            ("fence", Field::fence(self.fence)),
            ("holder", self.holder.into()),
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            moment(self.at),
            self.operation.clone(),
            format!("{:+}", self.change),
            self.balance_after.to_string(),
            self.fence
                .map_or(String::new(), |fence| under(fence, self.holder)),
        ]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let mut details = vec![("account", self.account.clone())];
        details.extend(self.resource.clone().map(|name| ("resource", name)));
        details.push(("purpose", self.purpose.clone()));
        details
    }
}
