//! The drain: writes that are under way when the new holder enters.

use super::super::gate::Gate;
use super::super::stage::{Settled, Stage};
use super::super::stop::{Stop, told};
use super::super::subject::Subject;
use super::checks::{count, reading_holds};

/// B enters while A's write stands before its commit, past every check.
pub(super) async fn in_flight<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    let gate = stage.close_gate(Gate::BeforeCommit).await?;
    let write = stage.at_gate(a.start_write()).await?;
    let entry = b.start_enter();
    let waited = stage.settle(&entry).await?;
    gate.open().await?;
    let wrote = write.done().await?;
    let seen = b.entered(entry.done().await?)?;
    reading_holds(stage, "B", seen, 0).await?;
    b.must_write().await?;
    reading_holds(stage, "B", seen, 1).await?;
    Ok(format!(
        "B {}; A's write {}; B read {}",
        waited.told(),
        told(&wrote),
        count(seen)
    ))
}

/// A writes from another process while B waits for A's first write.
pub(super) async fn behind_an_opening<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    let options = stage.claims.service.clone();
    let twin = stage
        .process("A2", a.permit().clone(), options)
        .await?
        .with_opening_of(&a);
    a.must_enter().await?;
    let gate = stage.close_gate(Gate::BeforeCommit).await?;
    let first = stage.at_gate(a.start_write()).await?;
    let entry = b.start_enter();
    stage.settle(&entry).await?;
    let second = twin.start_write();
    let waited = stage.settle(&second).await?;
    gate.open().await?;
    first.done().await?.ok();
    let seen = b.entered(entry.done().await?)?;
    let second = second.done().await?;
    reading_holds(stage, "B", seen, 0).await?;
    Ok(format!(
        "A's second write {} and {}; B read {}",
        waited.told(),
        told(&second),
        count(seen)
    ))
}

/// A writes while B's opening has raised the mark and is not committed.
pub(super) async fn beside_an_opening<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    let gate = stage.close_gate_of_openings().await?;
    let entry = stage.at_gate(b.start_enter()).await?;
    let write = a.start_write();
    let waited = stage.settle(&write).await?;
    gate.open().await?;
    let seen = b.entered(entry.done().await?)?;
    let late = write.done().await?;
    reading_holds(stage, "B", seen, 0).await?;
    Ok(format!(
        "A's write {} and {}; B read {}",
        waited.told(),
        told(&late),
        count(seen)
    ))
}

/// The same two with sessions whose default is REPEATABLE READ: B enters beside A's write, then A writes beside
/// the opening of C. A guard that refuses to work so is as good as one that does not mind.
pub(super) async fn old_snapshot<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let old = [("default_transaction_isolation", "repeatable read")];
    let old = stage.claims.service.clone().options(old);
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    let c = stage.holder("C", 13).await?;
    let b_old = stage
        .process("B old", b.permit().clone(), old)
        .await?
        .with_opening_of(&b);

    a.must_enter().await?;
    let gate = stage.close_gate(Gate::BeforeCommit).await?;
    let write = stage.at_gate(a.start_write()).await?;
    let entry = b_old.start_enter();
    stage.settle(&entry).await?;
    gate.open().await?;
    write.done().await?.ok();
    let entry = entry.done().await?;
    if let Ok(seen) = entry {
        reading_holds(stage, "B, in its old snapshot,", seen, 0).await?;
    }

    b.must_enter().await?;
    let gate = stage.close_gate_of_openings().await?;
    let successor = stage.at_gate(c.start_enter()).await?;
    let late = b_old.start_write();
    stage.settle(&late).await?;
    gate.open().await?;
    let seen = c.entered(successor.done().await?)?;
    let late = late.done().await?;
    reading_holds(stage, "C", seen, 0).await?;
    Ok(format!(
        "at REPEATABLE READ B's entry {}, and its late write {}",
        told(&entry),
        told(&late)
    ))
}

impl Settled {
    /// What was seen, as a part of a sentence.
    fn told(&self) -> String {
        match self {
            Settled::Over => "waited for nobody".to_owned(),
            Settled::Waits(by) => format!("waited for {}", by.join(", ")),
        }
    }
}
