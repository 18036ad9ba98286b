//! Is this Redis fit to number holders?

mod answers;
mod finding;
mod judge;

use std::fmt;

pub use finding::{Finding, Severity, Topic};

use answers::Answers;

use crate::connection::{ConnectError, Connection, Node};
use crate::{LeaseLock, Servers};

/// What a look at a server has found, the worst first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preflight {
    /// Where it was looked for; for a node of a Cluster, where it was found. Never a password.
    pub address: String,
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
        write!(f, "{} at {}", self.server, self.address)?;
        for finding in &self.findings {
            write!(f, "\n{finding}")?;
        }
        Ok(())
    }
}

impl LeaseLock {
    /// Looks at each master before leases are entrusted to it, and says what each setting means for
    /// fences. It asks with `INFO`, `COMMAND INFO` and `CONFIG GET` (and `CLUSTER SLOTS`), and changes
    /// nothing; what a server does not tell is a finding, too.
    ///
    /// # Errors
    /// [`ConnectError`] when nobody answers, or the scripts cannot be loaded.
    pub async fn preflight(servers: impl Into<Servers>) -> Result<Vec<Preflight>, ConnectError> {
        let servers = servers.into();
        let connection = Connection::open(&servers, |_| {}).await?;
        let nodes = connection.masters().await.map_err(|source| {
            let address = servers.address();
            ConnectError::Unreachable { address, source }
        })?;
        let mut preflights = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let answers = Answers::ask(&connection, node).await;
            let mut findings = judge::all(&answers);
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            preflights.push(Preflight {
                address: match node {
                    Node::Only => servers.address(),
                    Node::Of { host, port } => format!("{host}:{port}"),
                },
                server: answers.server(),
                findings,
            });
        }
        Ok(preflights)
    }
}
