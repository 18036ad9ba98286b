//! Who was convicted of what, by which scenario.

use std::collections::BTreeSet;

use crate::guards::Guard;
use crate::scenarios::SCENARIOS;
use crate::stage::Conviction;

/// What came out for one guard.
pub(crate) struct Verdict {
    pub(crate) guard: Guard,
    pub(crate) convictions: Vec<Conviction>,
}

impl Verdict {
    /// The rules that it broke.
    pub(crate) fn rules(&self) -> BTreeSet<&str> {
        self.convictions
            .iter()
            .map(|one| one.rule.as_str())
            .collect()
    }

    /// The scenarios that convicted it.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &'static str> {
        self.convictions.iter().map(|one| one.scenario)
    }
}

/// Prints the table: canary → rule → scenario, with what the checker found; then what happens in each
/// scenario.
pub(crate) fn print(verdicts: &[Verdict]) {
    println!("{:<31} {:<9} convicted by", "guard", "rule");
    for verdict in verdicts {
        let name = &verdict.guard.name;
        if verdict.convictions.is_empty() {
            println!("{name:<31} {:<9} none of the scenarios", "–");
        }
        let mut shown = name.as_str();
        for Conviction {
            rule,
            finding,
            scenario,
        } in &verdict.convictions
        {
            println!("{shown:<31} {rule:<9} {scenario}: {finding}");
            shown = "";
        }
    }
    println!();
    for (name, what) in SCENARIOS {
        println!("{name:<31} {what}");
    }
}
