//! Runs the checker over one scope.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use stateright::{Checker, Expectation, Model};

use crate::bug::Bug;
use crate::protocol::Protocol;
use crate::scope::Scope;

/// What came out.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The rules that some state breaks.
    pub broken: BTreeSet<&'static str>,
    /// What was to be reached somewhere, and was not.
    pub unreached: BTreeSet<&'static str>,
    /// What was reached.
    pub reached: BTreeSet<&'static str>,
    /// How many rules were asked of every state.
    pub rules: usize,
    /// Different states.
    pub states: usize,
    /// Steps on the longest of the shortest ways.
    pub depth: usize,
    /// How long it took.
    pub took: Duration,
}

/// Explores every state of a scope; with a bug, of the protocol that lacks that safeguard.
pub fn explore(scope: &Scope, bug: Option<Bug>) -> Verdict {
    let protocol = Protocol {
        scope: scope.clone(),
        bug,
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let checker = protocol.checker().threads(threads).spawn_bfs().join();
    let took = start.elapsed();
    let found = checker.discoveries();
    let mut verdict = Verdict {
        broken: BTreeSet::new(),
        unreached: BTreeSet::new(),
        reached: BTreeSet::new(),
        rules: 0,
        states: checker.unique_state_count(),
        depth: checker.max_depth(),
        took,
    };
    for property in checker.model().properties() {
        let is_found = found.contains_key(property.name);
        match property.expectation {
            Expectation::Sometimes if is_found => verdict.reached.insert(property.name),
            Expectation::Sometimes => verdict.unreached.insert(property.name),
            _ => {
                verdict.rules += 1;
                is_found && verdict.broken.insert(property.name)
            }
        };
    }
    verdict
}
