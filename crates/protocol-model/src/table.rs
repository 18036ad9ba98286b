//! What was explored, as tables.

use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;

use crate::bug::Bug;
use crate::explore::Verdict;
use crate::scope::Scope;

/// One row for each scope.
pub fn table_of_scopes(explored: &[(Scope, Verdict)]) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header([
        "scope", "bounds", "states", "depth", "rules", "broken", "reached", "seconds",
    ]);
    for (scope, verdict) in explored {
        table.add_row([
            scope.name.to_owned(),
            scope.bounds(),
            verdict.states.to_string(),
            verdict.depth.to_string(),
            verdict.rules.to_string(),
            broken(verdict),
            verdict.reached.len().to_string(),
            format!("{:.1}", verdict.took.as_secs_f32()),
        ]);
    }
    table.to_string()
}

/// One row for each bug.
pub fn table_of_bugs(explored: &[(Bug, Verdict)]) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header([
        "without it",
        "scope",
        "states",
        "broken",
        "seconds",
    ]);
    for (bug, verdict) in explored {
        table.add_row([
            bug.name(),
            bug.scope().to_owned(),
            verdict.states.to_string(),
            broken(verdict),
            format!("{:.1}", verdict.took.as_secs_f32()),
        ]);
    }
    table.to_string()
}

fn broken(verdict: &Verdict) -> String {
    match verdict.broken.is_empty() {
        true => "none".to_owned(),
        false => Vec::from_iter(verdict.broken.iter().copied()).join(", "),
    }
}
