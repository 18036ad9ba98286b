//! The scenarios. Each is one forced order of events; what a guard makes of it is for the checker.
//!
//! Who has to wait differs from guard to guard, so a call that may wait is started, and then
//! *settled*: it is over, or it is seen waiting.

use crate::stage::Stage;

/// Each scenario, and what happens in it.
pub(crate) const SCENARIOS: &[(&str, &str)] = &[
    (
        "writer_in_flight",
        "B opens while A's write stands before its commit",
    ),
    (
        "late_write",
        "A writes once more while B's open waits for A's first write",
    ),
    (
        "window",
        "A wakes and writes after B has opened and read, before B writes",
    ),
    (
        "open_that_waited",
        "the open of a lower fence waits for that of a higher one",
    ),
    ("two_holders_of_one_number", "both open, and both write"),
    ("two_writes_of_one_holder", "one after the other"),
    (
        "open_in_a_begun_transaction",
        "A writes between B's first look and B's open",
    ),
    (
        "refusal_after_a_wait",
        "A's write waits for B's open, and is refused",
    ),
    (
        "two_writers_at_once",
        "two processes of the newest holder write at the same time",
    ),
    (
        "never_opened",
        "a holder with a higher fence writes without having opened",
    ),
];

/// Plays the scenario of this name.
pub(crate) async fn play(name: &str, stage: &Stage) {
    match name {
        "writer_in_flight" => writer_in_flight(stage).await,
        "late_write" => late_write(stage).await,
        "window" => window(stage).await,
        "open_that_waited" => open_that_waited(stage).await,
        "two_holders_of_one_number" => two_holders_of_one_number(stage).await,
        "two_writes_of_one_holder" => two_writes_of_one_holder(stage).await,
        "open_in_a_begun_transaction" => open_in_a_begun_transaction(stage).await,
        "refusal_after_a_wait" => refusal_after_a_wait(stage).await,
        "two_writers_at_once" => two_writers_at_once(stage).await,
        "never_opened" => never_opened(stage).await,
        other => panic!("no scenario is called {other}"),
    }
}

async fn writer_in_flight(stage: &Stage) {
    let (a, b) = (stage.holder(1).await, stage.holder(2).await);
    a.open().await;
    let gate = stage.close_gate().await;
    let write = a.start_write();
    stage.settle(&write).await;
    let opening = b.start_open();
    stage.settle(&opening).await;
    gate.open().await;
    write.outcome.done().await;
    opening.outcome.done().await;
    b.write_due().await;
}

async fn late_write(stage: &Stage) {
    let (a, b) = (stage.holder(1).await, stage.holder(2).await);
    a.open().await;
    let late = stage.process_of(&a).await;
    let gate = stage.close_gate().await;
    let first = a.start_write();
    stage.settle(&first).await;
    let opening = b.start_open();
    stage.settle(&opening).await;
    let second = late.start_write();
    stage.settle(&second).await;
    gate.open().await;
    first.outcome.done().await;
    opening.outcome.done().await;
    second.outcome.done().await;
}

async fn window(stage: &Stage) {
    let (a, b) = (stage.holder(1).await, stage.holder(2).await);
    a.open().await;
    b.open().await;
    a.write().await;
    b.write_due().await;
}

async fn open_that_waited(stage: &Stage) {
    let (first, higher, lower) = (
        stage.holder(1).await,
        stage.holder(5).await,
        stage.holder(3).await,
    );
    first.open().await;
    higher.open_and_hold().await;
    let waiting = lower.start_open();
    stage.settle(&waiting).await;
    higher.commit().await;
    waiting.outcome.done().await;
}

async fn two_holders_of_one_number(stage: &Stage) {
    let (a, b) = (stage.holder(1).await, stage.holder(1).await);
    a.open().await;
    b.open().await;
    a.write_due().await;
    b.write().await;
}

async fn two_writes_of_one_holder(stage: &Stage) {
    let a = stage.holder(1).await;
    a.open().await;
    a.write_due().await;
    a.write_due().await;
}

async fn open_in_a_begun_transaction(stage: &Stage) {
    let (a, b) = (stage.holder(1).await, stage.holder(2).await);
    a.open().await;
    b.begin_with_a_look().await;
    a.write().await;
    b.open_within().await;
}

async fn refusal_after_a_wait(stage: &Stage) {
    let (a, b) = (stage.holder(1).await, stage.holder(2).await);
    a.open().await;
    b.open_and_hold().await;
    let write = a.start_write();
    stage.settle(&write).await;
    b.commit().await;
    write.outcome.done().await;
}

async fn two_writers_at_once(stage: &Stage) {
    let b = stage.holder(2).await;
    b.open().await;
    let other = stage.process_of(&b).await;
    let gate = stage.close_gate().await;
    let (one, two) = (b.start_due().await, other.start_due().await);
    stage.settle(&one).await;
    stage.settle(&two).await;
    gate.open().await;
    one.outcome.done().await;
    two.outcome.done().await;
}

async fn never_opened(stage: &Stage) {
    let (a, c) = (stage.holder(1).await, stage.holder(3).await);
    a.open().await;
    c.write().await;
    a.write_due().await;
}
