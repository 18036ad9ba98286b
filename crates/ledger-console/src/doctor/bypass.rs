//! Who and what could write around the guard.

use fence_guard::BypassRow;

use super::Diagnosis;
use super::Severity::{Note, Warning};
use crate::database::Database;

pub(super) async fn look(database: &Database) -> Result<Vec<Diagnosis>, crate::Error> {
    Ok(match database.guard().bypass().await {
        Ok(rows) => rows.iter().map(judge).collect(),
        Err(error) => {
            let meaning = "who could write around the guard is unknown; what else was found stands";
            let why = database.error(error).to_string();
            vec![Diagnosis::new(Warning, "bypass", why, meaning)]
        }
    })
}

/// Owners, superusers and operators there are on every server: facts to judge. Anything else is a hole.
fn judge(row: &BypassRow) -> Diagnosis {
    let (severity, meaning) = match row.kind.as_str() {
        "owner" | "superuser" | "member of owner" => (
            Note,
            "may do anything to marks and rows. Keep it for migrations and give it to no service",
        ),
        "operator" => (
            Note,
            "may take away what is old, refusals among it. Keep it for the scheduler",
        ),
        "setting" => (
            Warning,
            "switches off what marks and rows rest on. Reset it, for that role, database or server",
        ),
        "trigger" | "foreign table" | "unlogged table" | "subscription" => (
            Warning,
            "writes can come in that nobody admitted, or marks and rows can be lost. Mend it; sql/README.md says how",
        ),
        _ => (Warning, "can write around the guard. Revoke it"),
    };
    let observed = format!("{} {}", row.subject, row.finding);
    Diagnosis::new(severity, format!("bypass, {}", row.kind), observed, meaning)
}
