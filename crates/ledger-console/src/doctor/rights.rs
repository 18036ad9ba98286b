//! What the role may ask.

use super::Diagnosis;
use super::Severity::{Fine, Note, Warning};
use crate::database::Database;

/// What the commands ask of the guard.
const GUARD: [&str; 8] = [
    "fence.openings",
    "fence.refusals",
    "fence.mark",
    "fence.stats",
    "fence.horizon",
    "fence.versions",
    "fence.bypass",
    "fence.audit",
];
/// What they ask of the ledger.
const LEDGER: [&str; 5] = [
    "credit.entries",
    "credit.holds",
    "credit.refusals",
    "credit.standing",
    "credit.audit",
];
/// What only a service needs.
const WRITES: [&str; 2] = ["fence.open", "credit.charge"];

pub(super) async fn look(database: &Database) -> Result<Vec<Diagnosis>, crate::Error> {
    let ledger: &[&str] = if database.ledger().is_some() {
        &LEDGER
    } else {
        &[]
    };
    let missing = denied(database, &[&GUARD, ledger].concat()).await?;
    let (role, about) = (database.role(), "privileges");
    let reads = match missing.as_slice() {
        [] => Diagnosis::new(
            Fine,
            about,
            format!("{role} may ask everything"),
            "each command here answers",
        ),
        some => Diagnosis::new(
            Warning,
            about,
            format!("{role} may not call {}", some.join(", ")),
            format!(
                "some commands answer nothing. As the owner of the schemas run select fence.grant_reader('{role}')"
            ),
        ),
    };
    let may_write = denied(database, &WRITES).await?.is_empty();
    let writes = may_write.then(|| {
        let meaning = "more than looking takes, though these connections cannot. A role for looking has \
                       fence.grant_reader alone";
        Diagnosis::new(Note, about, format!("{role} may open and charge, too"), meaning)
    });
    Ok([reads].into_iter().chain(writes).collect())
}

/// Which of these the role may not call; one that is not there may not be called either.
async fn denied(
    database: &Database,
    names: &[&'static str],
) -> Result<Vec<&'static str>, crate::Error> {
    let rights = sqlx::query_as(include_str!("../../sql/rights.sql")).bind(names);
    let rights = rights.fetch_all(database.pool()).await;
    let rights: Vec<(String, bool)> = rights.map_err(|error| database.error(error.into()))?;
    let may = |name: &str| rights.iter().any(|(granted, may)| granted == name && *may);
    Ok(names.iter().copied().filter(|name| !may(name)).collect())
}
