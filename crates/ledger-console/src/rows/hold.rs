//! A hold, as it stands.

use credit_ledger::HoldRow;

use super::{moment, under};
use crate::output::{Field, Row};

impl Row for HoldRow {
    const HEAD: &'static [&'static str] =
        &["at (UTC)", ">amount", "state", ">taken", "expires", "under"];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("seq", self.seq.into()),
            ("at", self.at.into()),
            ("account", self.account.as_str().into()),
            ("amount", self.amount.into()),
            ("state", self.state.as_str().into()),
            ("captured", self.captured.into()),
            ("expires_at", self.expires_at.into()),
            ("purpose", self.purpose.as_str().into()),
            ("request", self.request.into()),
            ("resource", self.resource.as_str().into()),
            ("fence", Field::Fence(self.fence)),
            ("holder", self.holder.into()),
            ("resolved_seq", self.resolved_seq.into()),
            ("resolved_at", self.resolved_at.into()),
            ("resolved_by", self.resolved_by.into()),
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            moment(self.at),
            self.amount.to_string(),
            self.state.to_string(),
            self.captured
                .map_or(String::new(), |credits| credits.to_string()),
            moment(self.expires_at),
            under(self.fence, Some(self.holder)),
        ]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        vec![
            ("account", self.account.clone()),
            ("resource", self.resource.clone()),
            ("purpose", self.purpose.clone()),
        ]
    }
}
