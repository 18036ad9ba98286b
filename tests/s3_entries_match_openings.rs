//! S3: every entry's (fence, holder) equals the newest opening of its resource at that moment, and
//! that opening was not closed.
//!
//! The race: many holders open, charge and close a few resources at once, and every order of an
//! opening and a write occurs. Nobody in particular moves first, but after each round of openings
//! all tasks meet before they charge, so that most of them are overtaken by construction. Without
//! the guard an overtaken one's charge becomes an entry, and the audit finds it.
//!
//! An audit that finds nothing proves nothing until it is seen to find: each file in `plants/`
//! breaks one rule behind the guard's back, and has to be found under that rule.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use credit_ledger::{Account, Finding};
use promises::{Client, HOLD, MustRefuse, World, charge, permit, start};
use sqlx::Connection;
use tokio::sync::Barrier;

const TASKS: usize = 12;
const ROUNDS: usize = 6;
const CHARGES: usize = 3;

/// What one task has been told.
#[derive(Debug, Default)]
struct Told {
    applied: usize,
    refused: usize,
    closed: usize,
}

/// What the tasks share: the counters that Redis would keep, and the place where they meet.
struct Storm {
    alice: Account,
    counters: [AtomicU64; 3],
    opened: Barrier,
}

#[tokio::test]
async fn a_storm_of_holders_leaves_nothing_for_the_audit_to_find() {
    let world = World::new().await;
    let storm = Arc::new(Storm {
        alice: world.account("alice", 100_000).await,
        counters: Default::default(),
        opened: Barrier::new(TASKS),
    });
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let (client, storm) = (world.client().await, storm.clone());
        tasks.push(start(async move { storm.run(task, client).await }));
    }
    let mut told = Told::default();
    for task in tasks {
        let one = task.done().await;
        told.applied += one.applied;
        told.refused += one.refused;
        told.closed += one.closed;
    }

    let findings = world.findings().await;
    assert!(findings.is_empty(), "{findings:?}");
    let entries = world.charges(&storm.alice).await;
    assert_eq!(entries.len(), told.applied);
    let attempts: i64 = world.refusals().await.iter().map(|row| row.attempts).sum();
    assert_eq!(attempts as usize, told.refused);
    // The storm was one: at each meeting only one holder of each resource can be the newest.
    assert!(told.applied > 0 && told.closed > 0, "{told:?}");
    assert!(told.refused >= ROUNDS * CHARGES, "{told:?}");
}

impl Storm {
    async fn run(&self, task: usize, client: Client) -> Told {
        let mut told = Told::default();
        for round in 0..ROUNDS {
            let place = (task + round) % self.counters.len();
            let fence = self.counters[place].fetch_add(1, Ordering::Relaxed) + 1;
            let mine = permit(&format!("resource {place}"), fence);
            let opened = client.guard.open(&mine, HOLD).await;
            self.opened.wait().await;
            let open = match opened {
                Ok(open) => open,
                Err(error) => {
                    Err::<(), _>(error).must_refuse();
                    continue;
                }
            };
            for _ in 0..CHARGES {
                match client.ledger.charge(&open, &charge(&self.alice, 1)).await {
                    Ok(_) => told.applied += 1,
                    Err(error) => {
                        Err::<(), _>(error).must_refuse();
                        told.refused += 1;
                    }
                }
            }
            if task.is_multiple_of(2) {
                client.guard.close(&open, 1).await.unwrap();
                told.closed += 1;
            }
        }
        told
    }
}

#[tokio::test]
async fn the_audit_convicts_each_planted_violation_of_its_rule_and_of_no_other() {
    let world = World::new().await;
    history(&world).await;
    assert!(world.findings().await.is_empty());

    let mut session = world.session().await;
    for (rule, name, plant) in PLANTS {
        let mut tx = session.connection.begin().await.unwrap();
        // Behind the guard's back: without its triggers. Undone before the next one.
        sqlx::raw_sql("set local session_replication_role = replica")
            .execute(&mut *tx)
            .await
            .unwrap();
        sqlx::raw_sql(*plant).execute(&mut *tx).await.unwrap();
        let findings: Vec<Finding> =
            sqlx::query_as("select rule, subject, seq, finding from credit.audit()")
                .fetch_all(&mut *tx)
                .await
                .unwrap();
        tx.rollback().await.unwrap();
        let rules: Vec<&str> = findings.iter().map(|f| f.rule.as_str()).collect();
        assert_eq!(rules, [*rule], "{name}: {findings:?}");
    }
    assert!(world.findings().await.is_empty());
}

/// r: opened by two holders, the first of which was overtaken and refused, the second closed.
/// s: opened and still open.
async fn history(world: &World) {
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    world.account("bob", 0).await;
    let first = client.open(&permit("r", 1)).await;
    client.charge(&first, &charge(&alice, 1)).await;
    let second = client.open(&permit("r", 2)).await;
    let late = client.ledger.charge(&first, &charge(&alice, 1)).await;
    late.must_refuse();
    client.charge(&second, &charge(&alice, 1)).await;
    client.close(&second).await;
    let other = client.open(&permit("s", 5)).await;
    client.charge(&other, &charge(&alice, 1)).await;
}

macro_rules! plant {
    ($rule:literal, $name:literal) => {
        (
            $rule,
            $name,
            include_str!(concat!("plants/", $name, ".sql")),
        )
    };
}

const PLANTS: &[(&str, &str, &str)] = &[
    plant!("S1", "s1_lower_fence_opened_later"),
    plant!("S3", "s3_written_under_an_older_opening"),
    plant!("S3", "s3_written_by_another_holder"),
    plant!("S3", "s3_written_without_an_opening"),
    plant!("S3", "s3_written_after_its_close"),
    plant!("S4", "s4_mark_lowered"),
    plant!("S4", "s4_mark_raised_by_hand"),
    plant!("S4", "s4_mark_deleted"),
    plant!("S4", "s4_mark_of_another_holder"),
    plant!("S7", "s7_refused_against_a_mark_that_was_never_opened"),
    plant!("S7", "s7_refused_before_the_opening_that_it_names"),
    plant!("S7", "s7_not_open_against_a_mark_that_was_never_opened"),
    plant!("S8", "s8_balance_drifted"),
    plant!("S8", "s8_below_its_floor"),
    plant!("S8", "s8_running_balance_is_off"),
    plant!("S8", "s8_between_two_users"),
    plant!("S8", "s8_of_an_account_that_is_not_there"),
];
