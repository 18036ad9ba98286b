//! Who was convicted of what, by which scenario.

use fence_guard::testing::{Report, Rule};

/// A wrong guard, the rule that it says it breaks, and what the kit found.
pub(crate) struct Convicted {
    pub(crate) name: String,
    pub(crate) rule: Rule,
    pub(crate) report: Report,
}

/// Prints the table: wrong guard → rule → scenario, with what was seen.
pub(crate) fn print(convicted: &[Convicted]) {
    println!("{:<31} {:<5} convicted by", "wrong guard", "rule");
    for one in convicted {
        let mut name = one.name.as_str();
        for (scenario, rule, seen) in one.report.convictions() {
            println!("{name:<31} {rule:<5} {}: {seen}", scenario.name());
            name = "";
        }
    }
    println!();
}
