//! Each safeguard is there for a reason: without it, exactly the rules that are named are broken.

use std::collections::BTreeSet;

use protocol_model::{Bug, explore, shortest, table_of_bugs};

const README: &str = include_str!("../README.md");

#[test]
fn without_each_safeguard_exactly_its_rules_are_broken() {
    let bugs = Bug::all().iter();
    let explored: Vec<_> = bugs
        .map(|bug| (*bug, explore(&bug.in_scope(), Some(*bug))))
        .collect();
    println!("{}", table_of_bugs(&explored));
    for (bug, verdict) in &explored {
        let expected = BTreeSet::from_iter(bug.breaks().iter().copied());
        assert!(!expected.is_empty(), "{bug:?} is no bug");
        assert_eq!(verdict.broken, expected, "{bug:?}");
        let row = format!(
            "| `{}` | {} | {} |",
            bug.name(),
            bug.about(),
            bug.breaks().join("; ")
        );
        assert!(README.contains(&row), "the README's row is not {row}");
    }
}

#[test]
fn the_shortest_way_to_a_customer_who_pays_twice_is_the_one_that_the_readme_tells() {
    let bug = Bug::OpenWithoutDrain;
    let steps = shortest(&bug.in_scope(), Some(bug), "paid for no more than due");
    let lines = steps.expect("there is one").into_iter().enumerate();
    let told: Vec<String> = lines
        .map(|(at, step)| format!("{:>2}. {step}", at + 1))
        .collect();
    let told = told.join("\n");
    assert!(README.contains(&told), "it goes so:\n{told}");
}

#[test]
fn with_all_safeguards_there_is_no_such_way() {
    let scope = Bug::OpenWithoutDrain.in_scope();
    assert_eq!(shortest(&scope, None, "paid for no more than due"), None);
}
