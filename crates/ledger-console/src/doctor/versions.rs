//! Which functions are installed, against those that this program was built with.

use fence_guard::{Schema, VersionRow};

use super::Diagnosis;
use super::Severity::{Fine, Note, Warning};
use crate::database::Database;

pub(super) async fn look(database: &Database) -> Result<Vec<Diagnosis>, crate::Error> {
    let installed = match database.guard().versions().await {
        Ok(installed) => installed,
        Err(error) => {
            let meaning = "which functions are installed is unknown; what else was found stands";
            let why = database.error(error).to_string();
            return Ok(vec![Diagnosis::new(Warning, "functions", why, meaning)]);
        }
    };
    Ok(installed.iter().map(judge).collect())
}

fn judge(installed: &VersionRow) -> Diagnosis {
    let name = &installed.schema_name;
    let observed = format!("{name}, set {}", installed.functions_version);
    let ours = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
    let Some(ours) = ours.iter().find(|schema| schema.name == name) else {
        return Diagnosis::new(
            Note,
            "functions",
            observed,
            "a service's own set, which nothing here knows",
        );
    };
    let Schema {
        functions_version, ..
    } = *ours;
    let is_same = ours.functions_digest() == installed.functions_digest;
    let (severity, meaning) = match installed.functions_version.cmp(&functions_version) {
        std::cmp::Ordering::Equal if is_same => {
            (Fine, "the set that this program was built with".to_owned())
        }
        std::cmp::Ordering::Greater => (
            Note,
            format!(
                "newer than set {functions_version} of this program. Use the program of that version"
            ),
        ),
        _ => (
            Warning,
            format!(
                "not set {functions_version} of this program: a service that installs at its start brings its own. Let \
                 all of one version start"
            ),
        ),
    };
    Diagnosis::new(severity, "functions", observed, meaning)
}
