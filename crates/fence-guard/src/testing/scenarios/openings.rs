//! Openings: their order, numbers that fall, replies that are lost.

use super::super::rule::Rule;
use super::super::stage::{Stage, number};
use super::super::stop::{Stop, told};
use super::super::subject::Subject;
use super::checks::{came_to_nothing, was_kept_out};
use fence::Permit;

/// Fence 13 opens while the opening of 15 is not committed yet, and is judged again after its wait.
pub(super) async fn lower_behind_higher<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (first, higher) = (stage.holder("A", 11).await?, stage.holder("B", 15).await?);
    let lower = stage.holder("C", 13).await?;
    first.must_enter().await?;
    let gate = stage.close_gate_of_openings().await?;
    let entry = stage.at_gate(higher.start_enter()).await?;
    let behind = lower.start_enter();
    stage.settle(&behind).await?;
    gate.open().await?;
    let seen = higher.entered(entry.done().await?)?;
    let behind = behind.done().await?;
    was_kept_out(
        Rule::S1,
        "C with fence 13, behind B with fence 15,",
        &behind,
    )?;
    let late = lower.write().await?;
    came_to_nothing(
        stage,
        Rule::S1,
        "C with fence 13, below B's 15,",
        &late,
        seen,
    )
    .await?;
    higher.must_write().await?;
    Ok(format!("fence 13, behind 15, {}; 15 wrote", told(&behind)))
}

/// Whoever hands out numbers has lost them and begins anew. The newcomer is refused, takes a number above the
/// mark, and is the newest.
pub(super) async fn counter_loss<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, lower) = (stage.holder("A", 17).await?, stage.holder("B", 12).await?);
    let before = a.must_enter().await?;
    let refused = lower.enter().await?;
    was_kept_out(Rule::S1, "B with fence 12, below the mark 17,", &refused)?;
    let late = lower.write().await?;
    came_to_nothing(
        stage,
        Rule::S1,
        "B with fence 12, below the mark 17,",
        &late,
        before,
    )
    .await?;

    let mark = match stage.subject.mark(&stage.operator, &stage.resource).await {
        Ok(mark) => mark.get(),
        Err(error) => return Stop::unplayed(format!("the mark could not be read: {error}")),
    };
    if mark != 17 {
        return Stop::broken(
            Rule::S1,
            format!("fence 17 was opened, and the mark is {mark}"),
        );
    }
    let (resource, holder) = (stage.resource.clone(), lower.permit().holder());
    let healed = Permit::new(resource, number(mark + 1), holder);
    let healed = stage
        .process("B", healed, stage.claims.service.clone())
        .await?;
    let seen = healed.must_enter().await?;
    let overtaken = a.write().await?;
    came_to_nothing(
        stage,
        Rule::S2,
        "A, overtaken by the healed B,",
        &overtaken,
        seen,
    )
    .await?;
    healed.must_write().await?;
    Ok(format!(
        "fence 12, below the mark 17, {}; B entered with 18, and wrote",
        told(&refused)
    ))
}

/// The reply to A's opening was lost: A opens again, and is who it was. Once overtaken, it is not.
pub(super) async fn lost_reply<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    a.must_enter().await?;
    a.must_write().await?;
    b.must_enter().await?;
    let again = a.enter().await?;
    was_kept_out(Rule::S1, "A, overtaken by B,", &again)?;
    b.must_write().await?;
    Ok(format!(
        "A entered twice, and wrote; its entry after B's {}",
        told(&again)
    ))
}
