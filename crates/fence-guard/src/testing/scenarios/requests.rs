//! Request ids: one effect each, and the first outcome for whoever sends it again.

use uuid::Uuid;

use super::super::actor::Actor;
use super::super::gate::Gate;
use super::super::outcome::Applied;
use super::super::rule::Rule;
use super::super::stage::Stage;
use super::super::stop::{Stop, told};
use super::super::subject::Subject;
use super::checks::there_are;

/// A's reply was lost, and A was overtaken: it is told that its request was applied. So is B, to whom the same
/// job was delivered again.
pub(super) async fn replay<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let (a, b) = (stage.holder("A", 11).await?, stage.holder("B", 12).await?);
    a.must_enter().await?;
    let request = Uuid::new_v4();
    a.wrote(a.request(request).await?)?;
    is_replayed(stage, &a, "A, repeating its request,", request).await?;
    b.must_enter().await?;
    is_replayed(
        stage,
        &a,
        "A, repeating its request after B had entered,",
        request,
    )
    .await?;
    is_replayed(stage, &b, "B, sending A's request again,", request).await?;
    Ok("A repeated its request, also when stale, and B sent it again: told each time that it was written".to_owned())
}

async fn is_replayed<S: Subject>(
    stage: &Stage<S>,
    actor: &Actor<S>,
    who: &str,
    request: Uuid,
) -> Result<(), Stop> {
    let outcome = actor.request(request).await?;
    let effects = stage.effects().await?;
    if effects != 1 {
        let seen = format!(
            "{who}: the write {}; {}",
            told(&outcome),
            there_are(effects)
        );
        return Stop::broken(Rule::S6, seen);
    }
    match outcome {
        Ok(Applied::Before) => Ok(()),
        Ok(Applied::Now) => Stop::broken(
            Rule::S6,
            format!("{who} was told that it was written now; it was before"),
        ),
        Err(rejected) => Stop::broken(
            Rule::S6,
            format!("{who} was not told that it had been written: {rejected}"),
        ),
    }
}

/// Two processes of A send one request at once: one writes it, both hear that it is written.
pub(super) async fn twins<S: Subject>(stage: &Stage<S>) -> Result<String, Stop> {
    let a = stage.holder("A", 11).await?;
    let options = stage.claims.service.clone();
    let twin = stage
        .process("A2", a.permit().clone(), options)
        .await?
        .with_opening_of(&a);
    a.must_enter().await?;
    let request = Uuid::new_v4();
    let gate = stage.close_gate(Gate::BeforeCommit).await?;
    let one = stage.at_gate(a.start_request(request)).await?;
    let two = twin.start_request(request);
    stage.settle(&two).await?;
    gate.open().await?;
    let (one, two) = (one.done().await?, two.done().await?);
    let effects = stage.effects().await?;
    match (&one, &two) {
        (Ok(Applied::Now), Ok(Applied::Before)) | (Ok(Applied::Before), Ok(Applied::Now))
            if effects == 1 =>
        {
            Ok("of two processes with one request one wrote it, the other was told so".to_owned())
        }
        _ => Stop::broken(
            Rule::S6,
            format!(
                "of two processes that sent one request one {}, the other {}; {}",
                told(&one),
                told(&two),
                there_are(effects)
            ),
        ),
    }
}
