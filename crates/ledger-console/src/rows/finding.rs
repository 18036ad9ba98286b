//! What an audit finds.

use fence_guard::Finding;

use crate::output::{Field, Row};

impl Row for Finding {
    const HEAD: &'static [&'static str] = &["rule", ">row"];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("rule", self.rule.as_str().into()),
            ("subject", self.subject.as_str().into()),
            ("seq", self.seq.into()),
            ("finding", self.finding.as_str().into()),
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.rule.clone(),
            self.seq.map_or(String::new(), |seq| seq.to_string()),
        ]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        vec![("of", self.subject.clone())]
    }

    fn prose(&self) -> Option<String> {
        Some(self.finding.clone())
    }
}
