//! Redis: lease-lock's own preflight.

use lease_lock::{Finding, LeaseLock, Severity};

use super::Diagnosis;
use super::Severity::{Error, Fine, Note, Warning};

pub(super) async fn look(url: &str) -> Vec<Diagnosis> {
    match LeaseLock::preflight(url).await {
        Ok(preflights) => {
            let findings = preflights
                .into_iter()
                .flat_map(|preflight| preflight.findings);
            findings.map(judge).collect()
        }
        Err(error) => {
            let meaning = "nobody acquires a lease there; openings, entries and refusals are unharmed. Is REDIS_URL \
                           right, and the server up";
            vec![Diagnosis::new(Error, "redis", error.to_string(), meaning)]
        }
    }
}

/// Without a Redis there is nothing to look at. One that would be started for this says nothing of yours.
pub(super) fn not_named() -> Diagnosis {
    let meaning = "eviction, persistence and the clock of the Redis that numbers holders were not looked at. Set REDIS_URL";
    Diagnosis::new(Note, "redis", "none is named", meaning)
}

fn judge(finding: Finding) -> Diagnosis {
    let severity = match finding.severity {
        Severity::Fine => Fine,
        Severity::Warning => Warning,
        Severity::Error => Error,
    };
    Diagnosis::new(
        severity,
        format!("redis, {}", finding.topic),
        finding.observed,
        finding.meaning,
    )
}
