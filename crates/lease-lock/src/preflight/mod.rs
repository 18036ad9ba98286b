//! Is this Redis fit to number holders?

mod answers;
mod finding;
mod judge;

use std::fmt;

pub use finding::{Finding, Severity, Topic};

use answers::Answers;

use crate::LeaseLock;
use crate::connection::{ConnectError, Connection};

/// What a look at a server has found, the worst first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preflight {
    /// What answered: `Redis 7.0.15`, `Valkey 9.1.2`.
    pub server: String,
    /// One per topic.
    pub findings: Vec<Finding>,
}

impl Preflight {
    /// The worst of what was found.
    pub fn worst(&self) -> Severity {
        let severities = self.findings.iter().map(|finding| finding.severity);
        severities.max().unwrap_or(Severity::Fine)
    }
}

/// One line per finding.
impl fmt::Display for Preflight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.server)?;
        for finding in &self.findings {
            write!(f, "\n{finding}")?;
        }
        Ok(())
    }
}

impl LeaseLock {
    /// Looks at a server before leases are entrusted to it, and says what each setting means for
    /// fences. It asks with `INFO`, `COMMAND INFO` and `CONFIG GET`, and changes nothing; what the
    /// server does not tell is a finding, too.
    ///
    /// # Errors
    /// [`ConnectError`] when nobody answers, or the scripts cannot be loaded.
    pub async fn preflight(url: &str) -> Result<Preflight, ConnectError> {
        let connection = Connection::open(url, |_| {}).await?;
        let answers = Answers::ask(&connection).await;
        let mut findings = judge::all(&answers);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        Ok(Preflight {
            server: answers.server(),
            findings,
        })
    }
}
