//! The canaries: guards that are wrong on purpose, each of which the scenarios have to convict.
//!
//! A test of a guard that no wrong guard fails is no test. So the same few scenarios run over every
//! guard in `canaries/wrong/`, over a small right one (`control.sql`), and over the guard of this
//! workspace, all through one interface (`common.sql`). Then `check.sql` reads the rows, and names
//! the rule that they break. Each wrong guard is to be convicted of exactly the rule that its first
//! line says, the right ones of none, and no scenario may be there in vain.
//!
//! `cargo test -p promises --test canaries -- --nocapture` prints who was convicted of what, by
//! which scenario.

#[path = "canaries/actor.rs"]
mod actor;
#[path = "canaries/guards.rs"]
mod guards;
#[path = "canaries/scenarios.rs"]
mod scenarios;
#[path = "canaries/stage.rs"]
mod stage;
#[path = "canaries/verdict.rs"]
mod verdict;

use std::collections::BTreeSet;
use std::sync::Arc;

use promises::{World, start};

use crate::guards::{Guard, right_guards, wrong_guards};
use crate::scenarios::SCENARIOS;
use crate::stage::Stage;
use crate::verdict::{Verdict, print};

/// Every canary, and the rule that it breaks: one whose file was deleted would be missed by nobody else.
const CANARIES: [(&str, &str); 15] = [
    ("open_without_second_judgement", "S1"),
    ("advisory_lock_and_plain_read", "S2"),
    ("drain_left_out", "S2"),
    ("exists_without_lock", "S2"),
    ("for_key_share", "S2"),
    ("open_in_old_snapshot", "S2"),
    ("subselect_in_where", "S2"),
    ("update_from_mark", "S2"),
    ("write_only_mark", "S2"),
    ("only_lower_is_refused", "S3"),
    ("no_holder_comparison", "S5"),
    ("one_statement", "S7"),
    ("only_the_first_holder", "liveness"),
    ("only_the_first_write", "liveness"),
    ("share_then_raise", "liveness"),
];

#[test]
fn every_canary_is_there_and_says_its_rule() {
    let guards = wrong_guards();
    let found: Vec<(&str, &str)> = guards
        .iter()
        .map(|guard| (guard.name.as_str(), guard.breaks.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(found, CANARIES);
}

#[tokio::test]
async fn each_canary_is_convicted_of_exactly_its_rule_and_the_right_guards_of_none() {
    let world = Arc::new(World::new().await);
    let guards: Vec<Guard> = right_guards().into_iter().chain(wrong_guards()).collect();
    let mut trials = Vec::new();
    for guard in guards {
        let world = world.clone();
        trials.push(start(async move { try_guard(&world, guard).await }));
    }
    let mut verdicts = Vec::new();
    for trial in trials {
        verdicts.push(trial.done().await);
    }
    print(&verdicts);

    for verdict in &verdicts {
        let expected = verdict.guard.breaks.iter().map(String::as_str).collect();
        assert_eq!(verdict.rules(), expected, "{}", verdict.guard.name);
    }
    let convicting: BTreeSet<&str> = verdicts.iter().flat_map(Verdict::scenarios).collect();
    let all: BTreeSet<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        convicting, all,
        "a scenario that convicts nobody proves nothing"
    );
}

/// Plays every scenario over one guard, each with a resource of its own.
async fn try_guard(world: &Arc<World>, guard: Guard) -> Verdict {
    guard.build(world).await;
    let mut convictions = Vec::new();
    for (name, _) in SCENARIOS {
        let stage = Stage::new(world.clone(), &guard, name).await;
        scenarios::play(name, &stage).await;
        convictions.extend(stage.convictions().await);
    }
    Verdict { guard, convictions }
}
