//! One thing that was seen, and what it means.

use crate::output::{Field, Row};

/// One thing that was seen.
#[derive(Debug)]
pub(super) struct Diagnosis {
    pub(super) severity: Severity,
    /// What it is about, in a word or two.
    pub(super) about: String,
    /// What was seen.
    pub(super) observed: String,
    /// What that means for fences, and what to do.
    pub(super) meaning: String,
}

/// How bad it is, from good to bad. From a warning on it is a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Fine,
    Note,
    Warning,
    Error,
}

impl Diagnosis {
    pub(super) fn new(
        severity: Severity,
        about: impl Into<String>,
        observed: impl Into<String>,
        meaning: impl Into<String>,
    ) -> Diagnosis {
        Diagnosis {
            severity,
            about: about.into(),
            observed: observed.into(),
            meaning: meaning.into(),
        }
    }
}

impl Severity {
    fn as_str(self) -> &'static str {
        match self {
            Severity::Fine => "fine",
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl Row for Diagnosis {
    const HEAD: &'static [&'static str] = &["how", "about"];

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("severity", self.severity.as_str().into()),
            ("about", self.about.as_str().into()),
            ("observed", self.observed.as_str().into()),
            ("meaning", self.meaning.as_str().into()),
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![self.severity.as_str().to_owned(), self.about.clone()]
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn prose(&self) -> Option<String> {
        Some(format!("{}: {}", self.observed, self.meaning))
    }
}
