//! One thing that was found.

use std::fmt;

/// One thing that was found about a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is about.
    pub topic: Topic,
    /// How bad it is.
    pub severity: Severity,
    /// What the server said.
    pub observed: String,
    /// What that means for leases and fences, and what to do.
    pub meaning: &'static str,
}

/// How bad a finding is, from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// As it should be, or good to know.
    Fine,
    /// It works, until something happens that is bound to happen; the guard heals it.
    Warning,
    /// Leases on this server do not do what they are for.
    Error,
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// What is removed when memory is short.
    Eviction,
    /// What survives a restart.
    Persistence,
    /// Master or replica, and what a failover loses.
    Replication,
    /// Which commands there are.
    Version,
    /// Whether keys are spread over slots.
    Cluster,
    /// `DELEX` and `DELIFEQ`.
    CompareAndDelete,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Fine => "fine",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Topic::Eviction => "eviction",
            Topic::Persistence => "persistence",
            Topic::Replication => "replication",
            Topic::Version => "version",
            Topic::Cluster => "cluster",
            Topic::CompareAndDelete => "compare-and-delete",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            topic,
            severity,
            observed,
            meaning,
        } = self;
        write!(f, "{severity:<8} {topic:<19} {observed}: {meaning}")
    }
}
