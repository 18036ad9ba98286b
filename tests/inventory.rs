//! A second consumer of the guard: an inventory, with tables of its own that its own role migrates. It knows
//! nothing of credits, uses the public API alone, and passes the conformance kit. So does the ledger.
//!
//! A kit that convicts nobody proves nothing. So the canaries come under it too, and inventories with one
//! thing done wrong each: every one of them is convicted, of its rule, by a scenario that is named here.
//!
//! `cargo test -p promises --test inventory -- --nocapture` prints who was convicted of what, by which scenario.

#[path = "inventory/canary.rs"]
mod canary;
#[path = "inventory/convicted.rs"]
mod convicted;
#[path = "../crates/fence-guard/examples/inventory/database.rs"]
mod database;
#[path = "canaries/guards.rs"]
mod guards;
#[path = "inventory/ledger.rs"]
mod ledger;
#[path = "../crates/fence-guard/examples/inventory/service.rs"]
mod service;
#[path = "../crates/fence-guard/examples/inventory/subject.rs"]
mod subject;
#[path = "inventory/warehouses.rs"]
mod warehouses;
#[path = "inventory/way.rs"]
mod way;
#[path = "inventory/wrong/mod.rs"]
mod wrong;

use std::collections::BTreeSet;

use fence_guard::testing::Scenario::{self, *};
use fence_guard::testing::{Rule, Verdict, conform};
use promises::World;

use crate::canary::Canary;
use crate::convicted::{Convicted, print};
use crate::guards::{right_guards, wrong_guards};
use crate::ledger::Credits;
use crate::warehouses::Warehouses;

/// Every wrong guard, and a scenario that convicts it of the rule that it breaks.
const WRONG: [(&str, Scenario); 30] = [
    ("open_without_second_judgement", LowerBehindHigher),
    ("advisory_lock_and_plain_read", BesideAnOpening),
    ("drain_left_out", InFlight),
    ("exists_without_lock", InFlight),
    ("for_key_share", InFlight),
    ("open_in_old_snapshot", InFlight),
    ("subselect_in_where", InFlight),
    ("update_from_mark", InFlight),
    ("write_only_mark", Window),
    ("only_lower_is_refused", NeverOpened),
    ("no_holder_comparison", SameNumber),
    ("one_statement", BesideAnOpening),
    ("only_the_first_holder", Window),
    ("only_the_first_write", SecondWrite),
    ("share_then_raise", TwoWriters),
    ("checks_then_writes", InFlight),
    ("checks_in_a_savepoint", InFlight),
    ("fence_in_its_own_row", Window),
    ("guards_inserts_only", AroundTheGuard),
    ("forgets_updates", AroundTheGuard),
    ("trusts_the_setting", AroundTheGuard),
    ("reads_before_it_opens", InFlight),
    ("reads_without_a_permit", StaleRead),
    ("remembers_the_check", Window),
    ("heals_and_writes", Window),
    ("swallows_the_refusal", LateRefusal),
    ("forgets_its_requests", Replay),
    ("leaves_twins_to_the_key", Twins),
    ("a_new_holder_each_time", LostReply),
    ("stands_still_for_an_hour", Frozen),
];

#[tokio::test]
async fn the_inventory_passes_every_scenario_of_the_kit() {
    let warehouses = Warehouses::start().await;
    let report = conform(warehouses.migrated("stocked").await).await.unwrap();
    println!("{report}");
    for played in &report.played {
        let is_held = matches!(played.verdict, Verdict::Held { .. });
        assert!(is_held, "{}: {:?}", played.scenario.name(), played.verdict);
    }
}

#[tokio::test]
async fn nothing_of_the_ledger_is_in_the_inventorys_database() {
    let warehouses = Warehouses::start().await;
    let warehouse = warehouses.migrated("alone").await;
    let pool = database::pool(&warehouse.operator).await.unwrap();
    let schemas = include_str!("../crates/fence-guard/examples/inventory/sql/schemas.sql");
    let schemas: String = sqlx::query_scalar(schemas).fetch_one(&pool).await.unwrap();
    assert_eq!(schemas, "fence, inventory");
    let owners = sqlx::query_scalar(include_str!("inventory/sql/owners.sql"));
    let owners: String = owners.fetch_one(&pool).await.unwrap();
    assert_eq!(owners, "inventory", "its tables belong to its own role");
}

#[tokio::test]
async fn the_ledger_passes_what_it_claims() {
    let world = World::new().await;
    let report = conform(Credits::of(&world)).await.unwrap();
    println!("{report}");
    assert!(report.conforms(), "{report}");
}

#[tokio::test]
async fn the_right_guards_of_the_canaries_pass_what_they_claim() {
    let world = World::new().await;
    for guard in right_guards() {
        let report = conform(Canary::build(&world, guard).await).await.unwrap();
        assert!(report.conforms(), "{report}");
    }
}

#[tokio::test]
async fn every_wrong_guard_is_convicted_of_its_rule_and_no_scenario_is_there_in_vain() {
    let (world, warehouses) = (World::new().await, Warehouses::start().await);
    let (mut convicted, inventories) = tokio::join!(canaries(&world), wrong::all(&warehouses));
    convicted.extend(inventories);
    print(&convicted);

    let found: Vec<&str> = convicted.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(found, WRONG.map(|(name, _)| name));
    for (one, (name, by)) in convicted.iter().zip(WRONG) {
        let mut convictions = one.report.convictions();
        let is_convicted =
            convictions.any(|(scenario, rule, _)| (scenario, rule) == (by, one.rule));
        assert!(is_convicted, "{name} breaks {}\n{}", one.rule, one.report);
    }
    let convicting: BTreeSet<Scenario> = convicted
        .iter()
        .flat_map(|one| one.report.convictions().map(|(scenario, ..)| scenario))
        .collect();
    let all: BTreeSet<Scenario> = Scenario::ALL.into_iter().collect();
    assert_eq!(
        convicting, all,
        "a scenario that convicts nobody proves nothing"
    );
}

async fn canaries(world: &World) -> Vec<Convicted> {
    let mut convicted = Vec::new();
    for guard in wrong_guards() {
        let (name, rule) = (guard.name.clone(), rule(guard.breaks.as_deref()));
        let report = conform(Canary::build(world, guard).await).await.unwrap();
        convicted.push(Convicted { name, rule, report });
    }
    convicted
}

/// The rule that a canary's first line says it breaks. Liveness is S10's.
fn rule(label: Option<&str>) -> Rule {
    match label.expect("a wrong guard says its rule") {
        "S1" => Rule::S1,
        "S2" => Rule::S2,
        "S3" => Rule::S3,
        "S5" => Rule::S5,
        "S7" => Rule::S7,
        "liveness" => Rule::S10,
        other => panic!("the kit proves no rule {other}"),
    }
}
