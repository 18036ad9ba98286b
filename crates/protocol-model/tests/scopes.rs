//! The protocol as it is, in every scope: no rule is broken, and none holds in vain.
//!
//! `cargo test -p protocol-model -- --nocapture` prints the table.

use std::collections::BTreeSet;

use protocol_model::{Scope, Verdict, explore, table_of_scopes};

const README: &str = include_str!("../README.md");

#[test]
fn no_state_of_any_scope_breaks_a_rule_and_each_scope_reaches_what_it_must() {
    let scopes = Scope::all().into_iter();
    let explored: Vec<(Scope, Verdict)> = scopes
        .map(|scope| (scope.clone(), explore(&scope, None)))
        .collect();
    println!("{}", table_of_scopes(&explored));
    let mut reached = BTreeSet::new();
    for (scope, verdict) in &explored {
        let name = scope.name;
        assert_eq!(verdict.broken, BTreeSet::new(), "{name}");
        for what in scope.reaches() {
            assert!(verdict.reached.contains(what), "{name}: never {what}");
            reached.insert(what);
        }
        // The README tells the bounds and the number of states.
        let row = format!("| {name} | {} | {} |", scope.bounds(), verdict.states);
        assert!(README.contains(&row), "the README's row is not {row}");
    }
    let (_, any) = &explored[0];
    let all: BTreeSet<_> = any.reached.union(&any.unreached).copied().collect();
    assert_eq!(reached, all, "each must be required of some scope");
}
